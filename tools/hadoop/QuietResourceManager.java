import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.service.CompositeService.CompositeServiceShutdownHook;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.security.DelegationTokenRenewer;

/**
 * The resource manager of Hadoop 3.3.6 without the thread that looks, again and again and without a
 * pause, for renewals of tokens that take too long: with Kerberos it takes a whole processor, 84 s
 * of one in the 204 s of a bed's life. 3.4 has no such thread.
 */
public final class QuietResourceManager extends ResourceManager {
  public static void main(String[] arguments) {
    Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
    Configuration conf = new YarnConfiguration();
    ResourceManager manager = new QuietResourceManager();
    ShutdownHookManager.get()
        .addShutdownHook(new CompositeServiceShutdownHook(manager), SHUTDOWN_HOOK_PRIORITY);
    manager.init(conf);
    manager.start();
  }

  @Override
  protected DelegationTokenRenewer createDelegationTokenRenewer() {
    DelegationTokenRenewer renewer = new DelegationTokenRenewer();
    renewer.setDelegationTokenRenewerPoolTracker(false);
    return renewer;
  }
}
