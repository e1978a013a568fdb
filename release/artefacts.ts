import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf } from './cut/changelog.ts'
import { statedVersions } from './cut/set-version.ts'
import { pack } from './pack.ts'
import { sbom } from './sbom.ts'

const root = join(import.meta.dirname, '..')

/** One line per file in the format of `sha256sum --check`. */
export const sumsOf = (folder: string): string =>
  readdirSync(folder)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('')

/** Writes all release artefacts to one folder: packages, bill of materials, release notes, and checksums over all of them. */
const makeArtefacts = async (version: string, folder: string): Promise<void> => {
  const wrong = Object.entries(statedVersions(root)).find(([, stated]) => stated !== version)
  if (wrong) throw new Error(`${wrong[0]} says ${wrong[1]}, not ${version}: these are not the sources of that release.`)
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  rmSync(folder, { recursive: true, force: true })
  await pack(folder)
  execFileSync('python3', [join(root, 'release/python-package.py'), folder], { stdio: 'inherit' })
  writeFileSync(join(folder, `offhook-${version}.cdx.json`), JSON.stringify(sbom(root, version), null, 2))
  writeFileSync(join(folder, 'NOTES.md'), `${notes}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(folder))
}

if (import.meta.main) {
  const [version] = process.argv.slice(2)
  if (version === undefined) throw new Error('npm run artefacts -- 0.2.0')
  await makeArtefacts(version, join(root, 'release/out'))
}
