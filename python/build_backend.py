# SPDX-License-Identifier: BSD-3-Clause
"""A small PEP 517 backend: builds libhalfspace.so by CMake and puts it with the package into a wheel for any Python 3.

The library knows nothing of Python, so one wheel serves all of them. `HALFSPACE_LIBRARY` names a library that is built already.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "halfspace"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files make the same wheel


def _version():
    return re.search(r"project\(halfspace VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def _tag():
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _project():
    if sys.version_info >= (3, 11):
        import tomllib
        return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    raise SystemExit("building the wheel needs Python 3.11; the wheel itself does not")


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", "License: BSD-3-Clause"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {one}; extra == '{extra}'" for one in needed]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def _wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: halfspace build_backend\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _library():
    given = os.environ.get("HALFSPACE_LIBRARY")
    if given:
        return pathlib.Path(given)
    folder = ROOT / "build" / "wheel"
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DHALFSPACE_BUILD_TESTS=OFF",
                 "-DHALFSPACE_BUILD_CLI=OFF", "-DHALFSPACE_INSTALL=OFF"]
    subprocess.run(configure, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", str(folder), "--target", "halfspace_c", "--parallel"], check=True, stdout=sys.stderr)
    return folder / "lib" / "libhalfspace.so"


def _package_files():
    package = ROOT / "python" / NAME
    return sorted(p for p in package.iterdir() if p.suffix in (".py", ".pyi") or p.name == "py.typed")


def _info(name):
    return f"{NAME}-{_version()}.dist-info/{name}"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"{NAME}-{_version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(_wheel_text(), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow([path, f"sha256={digest}", len(data)])

        for file in _package_files():
            add(f"{NAME}/{file.name}", file.read_bytes())
        add(f"{NAME}/libhalfspace.so", _library().read_bytes(), 0o755)
        add(_info("METADATA"), _metadata().encode())
        add(_info("WHEEL"), _wheel_text().encode())
        add(_info("LICENSE"), (ROOT / "LICENSE").read_bytes())
        rows.writerow([_info("RECORD"), "", ""])
        entry = zipfile.ZipInfo(_info("RECORD"), _EPOCH)
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, record.getvalue())
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(filter(None, listed.decode().split("\0"))):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        data = _metadata().encode()
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return f"{name}.tar.gz"
