import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { build } from './build/build.ts'
import { root } from './build/packages.ts'

interface Packed {
  filename: string
  size: number
  unpackedSize: number
}

/** Builds everything and packs each package; returns the files in publish order. */
export const pack = async (into: string, { here = false } = {}): Promise<{ file: string; bytes: number; unpacked: number }[]> => {
  const folders = await build({ here })
  mkdirSync(into, { recursive: true })
  const args = ['pack', '--json', '--ignore-scripts', `--pack-destination=${into}`, ...folders]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 })
  return (JSON.parse(stdout) as Packed[]).map(({ filename, size, unpackedSize }) => ({
    file: join(into, filename),
    bytes: size,
    unpacked: unpackedSize,
  }))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { to: { type: 'string', default: join(root, 'dist') }, here: { type: 'boolean', default: false } },
  })
  for (const { file, bytes } of await pack(resolve(values.to), { here: values.here }))
    console.log(`${file}  ${(bytes / 1e6).toFixed(2)} MB`)
}
