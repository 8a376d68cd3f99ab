#include "testing/hadoop/fake_name_node.h"

#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs/records.h"
#include "testing/hadoop/encoded.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;
namespace pb = hdfs::pb;
using Refusal = FakeNameNode::Refusal;

namespace {

/// The calls go straight to the NameNode's code, in their wire form.
class DirectProxy final : public hadoop::rpc::Proxy {
 public:
  explicit DirectProxy(FakeNameNode& name_node) : name_node_(&name_node) {}

  rt::Async<hadoop::rpc::Outcome> call(hadoop::rpc::Method method,
                                       const google::protobuf::MessageLite& request,
                                       google::protobuf::MessageLite& reply,
                                       hadoop::rpc::CallOptions) override {
    return answer(method.name, request.SerializeAsString(), &reply);
  }

 private:
  rt::Async<hadoop::rpc::Outcome> answer(std::string_view method, std::string request,
                                         google::protobuf::MessageLite* reply) {
    auto said = name_node_->handle(method, request);
    if (!said.has_value()) {
      hadoop::rpc::Failure failure(cluster_error("NameNode: " + said.error().message, Errc::Other));
      failure.exception_class = said.error().java_class;
      co_return failure;
    }
    reply->ParseFromString(*said);
    co_return hadoop::rpc::Outcome();
  }

  FakeNameNode* name_node_;
};

Refusal not_found(const std::string& path) {
  return {"java.io.FileNotFoundException", "File does not exist: " + path};
}

}  // namespace

FakeNameNode::FakeNameNode(std::vector<FakeDataNode*> nodes) : nodes_(std::move(nodes)) {
  add_folder("/");
  for (FakeDataNode* node : nodes_) {
    node->copy_to = [this](const hdfs::Datanode& to, uint64_t id,
                           const FakeDataNode::Replica& replica) {
      find(to.uuid)->replicas[id] = replica;
    };
  }
}

std::unique_ptr<hadoop::rpc::Proxy> FakeNameNode::proxy() {
  return std::make_unique<DirectProxy>(*this);
}

FakeNameNode::Reply FakeNameNode::handle(std::string_view method, const std::string& request) {
  ++calls[std::string(method)];
  auto& refused = refusals[std::string(method)];
  if (!refused.empty()) {
    Refusal refusal = std::move(refused.front());
    refused.pop_front();
    return std::unexpected(std::move(refusal));
  }
  return handle_names(method, request);
}

FakeNameNode::Reply FakeNameNode::handle_names(std::string_view method,
                                               const std::string& request) {
  if (method == "getFileInfo") {
    pb::GetFileInfoResponseProto reply;
    const auto found = files.find(parsed<pb::GetFileInfoRequestProto>(request).src());
    if (found != files.end()) {
      hdfs::FileStatus status = found->second.status;
      status.name.clear();
      put(status, reply.mutable_fs());
    }
    return reply.SerializeAsString();
  }
  if (method == "mkdirs") {
    std::string path = parsed<pb::MkdirsRequestProto>(request).src();
    for (; !files.contains(path); path = hdfs::parent_of(path)) {
      add_folder(path);
    }
    pb::MkdirsResponseProto reply;
    reply.set_result(true);
    return reply.SerializeAsString();
  }
  if (method == "setTimes") {
    return set_times(request);
  }
  if (method == "getListing") {
    return get_listing(request);
  }
  if (method == "rename2") {
    return rename(request);
  }
  if (method == "delete") {
    return remove(request);
  }
  return handle_blocks(method, request);
}

FakeNameNode::Reply FakeNameNode::set_times(const std::string& request) {
  const auto asked = parsed<pb::SetTimesRequestProto>(request);
  const auto found = files.find(asked.src());
  if (found == files.end()) {
    return std::unexpected(not_found(asked.src()));
  }
  hdfs::FileStatus& status = found->second.status;
  const auto modified = static_cast<int64_t>(asked.mtime());
  const auto accessed = static_cast<int64_t>(asked.atime());
  status.modified_ms = modified == -1 ? status.modified_ms : modified;
  status.accessed_ms = accessed == -1 ? status.accessed_ms : accessed;
  return pb::SetTimesResponseProto().SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::get_listing(const std::string& request) {
  const auto asked = parsed<pb::GetListingRequestProto>(request);
  const auto folder = files.find(asked.src());
  pb::GetListingResponseProto reply;
  if (folder == files.end()) {
    return reply.SerializeAsString();
  }
  pb::DirectoryListingProto& listing = *reply.mutable_dirlist();
  listing.set_remainingentries(0);
  if (folder->second.status.type == hdfs::FileType::File) {
    put(folder->second.status, listing.add_partiallisting());
    listing.mutable_partiallisting(0)->clear_path();
    listing.mutable_partiallisting(0)->set_path("");
    return reply.SerializeAsString();
  }
  for (const auto& [path, file] : files) {
    if (path == "/" || hdfs::parent_of(path) != asked.src() ||
        file.status.name <= asked.startafter()) {
      continue;
    }
    if (static_cast<size_t>(listing.partiallisting_size()) < page_entries) {
      put(file.status, listing.add_partiallisting());
    } else {
      listing.set_remainingentries(listing.remainingentries() + 1);
    }
  }
  return reply.SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::rename(const std::string& request) {
  const auto asked = parsed<pb::Rename2RequestProto>(request);
  if (!files.contains(asked.src())) {
    return std::unexpected(not_found(asked.src()));
  }
  if (files.contains(asked.dst()) && !asked.overwritedest()) {
    return std::unexpected(Refusal{"org.apache.hadoop.fs.FileAlreadyExistsException",
                                   "rename destination " + asked.dst() + " already exists"});
  }
  std::map<std::string, File> moved;
  for (auto each = files.begin(); each != files.end();) {
    if (!hdfs::is_within(each->first, asked.src())) {
      ++each;
      continue;
    }
    const std::string path = asked.dst() + each->first.substr(asked.src().size());
    each->second.status.name = hdfs::base_name(path);
    moved[path] = std::move(each->second);
    each = files.erase(each);
  }
  for (auto& [path, file] : moved) {
    files[path] = std::move(file);
  }
  return pb::Rename2ResponseProto().SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::remove(const std::string& request) {
  const auto asked = parsed<pb::DeleteRequestProto>(request);
  std::vector<std::string> below;
  for (const auto& [path, file] : files) {
    if (hdfs::is_within(path, asked.src())) {
      below.push_back(path);
    }
  }
  if (below.size() > 1 && !asked.recursive()) {
    return std::unexpected(Refusal{"org.apache.hadoop.fs.PathIsNotEmptyDirectoryException",
                                   asked.src() + " is non empty"});
  }
  for (const std::string& path : below) {
    files.erase(path);
  }
  pb::DeleteResponseProto reply;
  reply.set_result(!below.empty());
  return reply.SerializeAsString();
}

FakeDataNode* FakeNameNode::find(const std::string& uuid) const {
  const auto found = std::ranges::find_if(
      nodes_, [&](const FakeDataNode* node) { return node->node().uuid == uuid; });
  return found == nodes_.end() ? nullptr : *found;
}

FakeNameNode::File* FakeNameNode::open_file(const std::string& path, const std::string& holder) {
  const auto found = files.find(path);
  return found == files.end() || found->second.holder != holder ? nullptr : &found->second;
}

std::string FakeNameNode::content(const std::string& path) const {
  std::string bytes;
  for (const hdfs::Block& block : files.at(path).blocks) {
    for (const FakeDataNode* node : nodes_) {
      const auto found = node->replicas.find(block.id);
      if (found != node->replicas.end() && found->second.generation == block.generation) {
        bytes += found->second.bytes;
        break;
      }
    }
  }
  return bytes;
}

size_t FakeNameNode::replicas_of(const hdfs::Block& block) const {
  return static_cast<size_t>(std::ranges::count_if(nodes_, [&](const FakeDataNode* node) {
    const auto found = node->replicas.find(block.id);
    return found != node->replicas.end() && found->second.generation == block.generation;
  }));
}

void FakeNameNode::add_folder(const std::string& path) {
  File& folder = files[path];
  folder.status.type = hdfs::FileType::Folder;
  folder.status.name = hdfs::base_name(path);
  folder.status.permission = 0755;
  folder.status.owner = "alice";
  folder.status.group = "users";
  folder.status.modified_ms = now_ms;
}

void FakeNameNode::add_file(const std::string& path, std::string_view bytes, uint64_t block_bytes) {
  File& file = files[path];
  file = File();
  file.status.name = hdfs::base_name(path);
  file.status.size_bytes = bytes.size();
  file.status.replication = static_cast<uint32_t>(nodes_.size());
  file.status.block_bytes = block_bytes;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, block_bytes);
    bytes.remove_prefix(part.size());
    const hdfs::Block block{"pool", ++last_id_, ++last_generation_, part.size()};
    file.blocks.push_back(block);
    for (FakeDataNode* node : nodes_) {
      node->replicas[block.id] = {block.generation, std::string(part), true};
    }
  }
}

}  // namespace muster::testing
