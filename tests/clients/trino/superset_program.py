"""What Superset's users do, asked of its own API in its own environment; prints the answers as JSON.

Nothing of it is imported by tests: Superset is where they are not.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

CONFIG = """\
SECRET_KEY = "of a server that lives for a minute, on this machine alone"
SQLALCHEMY_DATABASE_URI = "sqlite:///{home}/superset.db?check_same_thread=false"
WTF_CSRF_ENABLED = RATELIMIT_ENABLED = TALISMAN_ENABLED = False
FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {{"CACHE_TYPE": "SimpleCache"}}
"""
SLOW = (
    "SELECT count(*) FROM lineitem a CROSS JOIN lineitem b CROSS JOIN orders c"
    " WHERE a.extendedprice + b.extendedprice + c.totalprice < 0"
)
RUNNING = (
    "SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND query LIKE '%totalprice%'"
    " AND query NOT LIKE '%runtime%'"
)


def superset(home: Path) -> Any:
    """An application with a database of its own, and a user in it."""
    config = home / "superset_config.py"
    config.write_text(CONFIG.format(home=home))
    os.environ["SUPERSET_CONFIG_PATH"] = str(config)
    os.environ["SUPERSET_HOME"] = str(home)
    app = import_module("superset.app").create_app()
    with app.app_context():
        extensions = import_module("superset.extensions")
        import_module("flask_appbuilder").Model.metadata.create_all(extensions.db.engine)
        extensions.db.create_all()
        extensions.appbuilder.add_permissions(update_perms=True)
        users = extensions.security_manager
        users.sync_role_definitions()
        role = users.find_role("Admin")
        users.add_user("admin", "An", "Admin", "admin@example.org", role, password="admin")
    return app


def main(home: Path, uri: str) -> dict[str, Any]:
    app = superset(home)
    log_in = {"username": "admin", "password": "admin", "provider": "db"}
    token = app.test_client().post("/api/v1/security/login", json=log_in).json["access_token"]

    def ask(method: str, path: str, **arguments: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        answer = app.test_client().open(f"/api/v1/{path}", method=method, headers=headers, **arguments)
        assert answer.status_code < 300, (path, answer.status_code, answer.data)
        return answer.json

    def execute(sql: str, name: str) -> Any:
        question = {"database_id": database, "sql": sql, "client_id": name, "schema": "tiny"}
        return ask("POST", "sqllab/execute/", json={**question, "queryLimit": 10})

    new = {"database_name": "sqe", "sqlalchemy_uri": uri, "expose_in_sqllab": True}
    database = ask("POST", "database/", json=new)["id"]
    place = f"database/{database}"
    told: dict[str, Any] = {
        "schemas": ask("GET", f"{place}/schemas/")["result"],
        "tables": ask("GET", f"{place}/tables/?q=(schema_name:tiny,catalog_name:tpch)")["result"],
        "columns": ask("GET", f"{place}/table_metadata/?name=nation&schema=tiny&catalog=tpch")["columns"],
        "preview": execute("SELECT nationkey, name FROM nation ORDER BY nationkey", "preview-of-it"),
    }
    stopped: list[Any] = []
    slow = threading.Thread(target=lambda: stopped.append(execute(SLOW, "a-slow-query")))
    slow.start()
    engine = import_module("sqlalchemy").create_engine(uri)
    while not engine.execute(RUNNING).scalar():
        time.sleep(0.2)
    told["stop"] = ask("POST", "query/stop", json={"client_id": "a-slow-query"})["result"]
    slow.join(120)
    told["stopped"] = stopped[0]["status"]
    return told


if __name__ == "__main__":
    answers = main(Path(sys.argv[1]), sys.argv[2])
    print(json.dumps(answers, default=str))
    sys.stdout.flush()
    # Threads of its own would keep it for a while.
    os.kill(os.getpid(), 9)
