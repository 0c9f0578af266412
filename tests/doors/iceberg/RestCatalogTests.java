// Iceberg's own tests of a catalog, through its REST client against a running server. The client's properties are
// the system properties `rest.*`. `tests.locations` is the directory of tables that a test places itself, and
// `tests.supportsX=false` leaves out what the server is known not to do.

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.view.ViewCatalogTests;
import org.junit.jupiter.api.BeforeEach;

public class RestCatalogTests {
  // What the tests expect every client to be opened with.
  static final Map<String, String> PROPERTIES = new HashMap<>();

  static {
    for (String kind : new String[] {"table-%s.default-key", "table-%s.override-key", "view-%s.key"}) {
      for (int i = 1; i <= 3; i++) PROPERTIES.put(kind.formatted("default") + i, "catalog-default-key" + i);
      for (int i = 3; i <= 4; i++) PROPERTIES.put(kind.formatted("override") + i, "catalog-override-key" + i);
    }
  }

  static final RESTCatalog CATALOG = client("tests", Map.of());

  public static class Tables extends CatalogTests<RESTCatalog> {
    @BeforeEach
    public void empty() {
      RestCatalogTests.empty(Namespace.empty());
    }

    @Override
    protected RESTCatalog catalog() {
      return CATALOG;
    }

    @Override
    protected RESTCatalog initCatalog(String name, Map<String, String> properties) {
      return client(name, properties);
    }

    @Override
    protected String baseTableLocation(TableIdentifier name) {
      return System.getProperty("tests.locations") + "/" + name.namespace() + "/" + name.name();
    }

    @Override
    protected boolean requiresNamespaceCreate() {
      return true;
    }

    @Override
    protected boolean supportsServerSideRetry() {
      return true;
    }

    @Override
    protected boolean supportsNestedNamespaces() {
      return supports("supportsNestedNamespaces");
    }

    @Override
    protected boolean supportsNamesWithSlashes() {
      return supports("supportsNamesWithSlashes");
    }

    @Override
    protected boolean supportsNamesWithDot() {
      return supports("supportsNamesWithDot");
    }
  }

  public static class Views extends ViewCatalogTests<RESTCatalog> {
    @BeforeEach
    public void empty() {
      RestCatalogTests.empty(Namespace.empty());
    }

    @Override
    protected RESTCatalog catalog() {
      return CATALOG;
    }

    @Override
    protected RESTCatalog tableCatalog() {
      return CATALOG;
    }

    @Override
    protected boolean requiresNamespaceCreate() {
      return true;
    }

    @Override
    protected boolean supportsServerSideRetry() {
      return true;
    }
  }

  static boolean supports(String name) {
    return !System.getProperty("tests." + name, "true").equals("false");
  }

  static RESTCatalog client(String name, Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(PROPERTIES);
    for (String key : System.getProperties().stringPropertyNames()) {
      if (key.startsWith("rest.")) all.put(key.substring(5), System.getProperty(key));
    }
    all.putAll(properties);
    RESTCatalog catalog = new RESTCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize(name, all);
    return catalog;
  }

  static void empty(Namespace parent) {
    for (Namespace namespace : CATALOG.listNamespaces(parent)) {
      empty(namespace);
      // Not purged: the tests commit data files that were never written.
      CATALOG.listTables(namespace).forEach(table -> CATALOG.dropTable(table, false));
      CATALOG.listViews(namespace).forEach(CATALOG::dropView);
      CATALOG.dropNamespace(namespace);
    }
  }
}
