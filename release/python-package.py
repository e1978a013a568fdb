"""
Makes the wheel and the source archive of packages/python, with the standard library alone: python3 release/python-package.py INTO. The same sources give
the same bytes. Prints the files.
"""

import base64
import gzip
import hashlib
import io
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

package = Path(__file__).parent.parent / "packages/python"
# The oldest that a zip file can say.
epoch = (1980, 1, 1, 0, 0, 0)


def metadata(project: dict, version: str) -> str:
    """PEP 566."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {one}; extra == "{extra}"' for one in wanted]
    readme = (package / project["readme"]).read_text("utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def sources() -> dict[str, bytes]:
    """Of the package itself, by their path below src."""
    folder = package / "src"
    files = sorted(file for file in folder.rglob("*") if file.suffix == ".py" or file.name == "py.typed")
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def wheel(into: Path, stem: str, about: str) -> Path:
    """PEP 427."""
    info = f"{stem}.dist-info"
    tags = "Wheel-Version: 1.0\nGenerator: offhook\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    licence = (package / "LICENSE").read_bytes()
    files = {**sources(), f"{info}/METADATA": about.encode(), f"{info}/WHEEL": tags.encode(), f"{info}/LICENSE": licence}
    record = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    file = into / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, epoch)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return file


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def source_archive(into: Path, stem: str, about: str) -> Path:
    """PEP 625."""
    files = {f"src/{name}": content for name, content in sources().items()}
    files |= {name: (package / name).read_bytes() for name in ("pyproject.toml", "README.md", "LICENSE")}
    files |= {f"tests/{file.name}": file.read_bytes() for file in sorted((package / "tests").glob("*.py"))}
    files["PKG-INFO"] = about.encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    file = into / f"{stem}.tar.gz"
    file.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return file


def main(into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"].replace("-dev", ".dev0")  # as PEP 440 writes it
    about = metadata(project, version)
    for make in (wheel, source_archive):
        print(make(into, f"{project['name']}-{version}", about))


main(Path(sys.argv[1]))
