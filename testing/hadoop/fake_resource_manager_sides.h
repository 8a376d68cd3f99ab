#pragma once

#include "testing/hadoop/fake_resource_manager.h"

#include <string>
#include <string_view>

namespace muster::testing {

/// ApplicationClientProtocol over the fake's books.
class FakeResourceManager::ClientSide final : public FakeService {
 public:
  explicit ClientSide(FakeResourceManager& manager) : manager_(&manager) {}

 protected:
  [[nodiscard]] Served answer(std::string_view method, const std::string& request,
                              const FakeCaller& caller) override;

 private:
  [[nodiscard]] Served answer_about_cluster(std::string_view method, const std::string& request);
  [[nodiscard]] Served submit(const std::string& request, const FakeCaller& caller);
  [[nodiscard]] Served report(const std::string& request);
  [[nodiscard]] Served kill(const std::string& request, const FakeCaller& caller);
  [[nodiscard]] Served list(const std::string& request);
  [[nodiscard]] Served queue(const std::string& request) const;

  FakeResourceManager* manager_;
};

/// ApplicationMasterProtocol over the same books.
class FakeResourceManager::MasterSide final : public FakeService {
 public:
  explicit MasterSide(FakeResourceManager& manager) : manager_(&manager) {}

 protected:
  [[nodiscard]] Served answer(std::string_view method, const std::string& request,
                              const FakeCaller& caller) override;

 private:
  [[nodiscard]] Served register_master(FakeApplication& application, const std::string& request);
  [[nodiscard]] Served allocate(FakeApplication& application, const std::string& request);
  [[nodiscard]] Served finish(FakeApplication& application, const std::string& request);
  void take_in(FakeApplication& application, const ::hadoop::yarn::AllocateRequest& ask);
  [[nodiscard]] Served refuse_rows(const ::hadoop::yarn::AllocateRequest& ask) const;

  FakeResourceManager* manager_;
};

}  // namespace muster::testing
