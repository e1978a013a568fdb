import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const emptyFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

export const writeManifest = (folder: string, manifest: object): void =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
