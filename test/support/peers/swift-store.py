"""OpenStack Swift with its S3 interface, in one process and in one folder: proxy, accounts, containers, and objects in memory. Prints its port."""
import array
import os
import sys

import eventlet

eventlet.monkey_patch(all=False, socket=True, select=True, thread=True, time=True)

from eventlet import listen, spawn, wsgi
from swift.common import utils

utils.HASH_PATH_PREFIX, utils.HASH_PATH_SUFFIX = b"", b"offhook"
utils.validate_hash_conf = lambda: None

from swift.account.server import AccountController
from swift.common.ring import RingData
from swift.common.wsgi import loadapp
from swift.container.server import ContainerController
from swift.obj.mem_server import ObjectController

folder, key, secret = sys.argv[1:4]

devices = os.path.join(folder, "devices")
os.makedirs(os.path.join(devices, "d"), exist_ok=True)

own = dict(devices=devices, swift_dir=folder, mount_check="false", fallocate_reserve="0", bind_ip="127.0.0.1")
quiet = open(os.devnull, "w")


def serve(app, port=0):
    socket = listen(("127.0.0.1", port))
    spawn(wsgi.server, socket, app, log=quiet, keepalive=True)
    return socket.getsockname()[1]


for name, controller in (("account", AccountController), ("container", ContainerController), ("object", ObjectController)):
    port = serve(controller(own))
    device = dict(id=0, zone=0, region=1, device="d", ip="127.0.0.1", port=port, weight=1.0, replication_ip="127.0.0.1", replication_port=port, meta="")
    RingData([array.array("H", [0, 0])], [device], 31).save(os.path.join(folder, name + ".ring.gz"))

conf = os.path.join(folder, "proxy.conf")
with open(conf, "w") as file:
    file.write(f"""[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
dns_compliant_bucket_names = false
storage_domain = localhost
min_segment_size = 1048576
[filter:tempauth]
use = egg:swift#tempauth
user_{key.split(":")[0]}_{key.split(":")[1]} = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
""")


class Cache:
    """What memcached would be for it."""

    def __init__(self):
        self.kept = {}

    def get(self, key, *_, **__):
        return self.kept.get(key)

    def set(self, key, value, *_, **__):
        self.kept[key] = value

    def delete(self, key, *_, **__):
        self.kept.pop(key, None)


def with_cache(app, cache=Cache()):
    return lambda env, start: app({**env, "swift.cache": cache}, start)


port = serve(with_cache(loadapp(conf)))
print("port", port, flush=True)
while True:
    eventlet.sleep(3600)
