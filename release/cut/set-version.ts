import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name: string
  version: string
  workspaces?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

interface Lock {
  version: string
  packages: Record<string, Manifest & { link?: boolean }>
}

const read = <T>(root: string, path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T
const write = (root: string, path: string, value: unknown): void => writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`)

/** Folders of all packages in this repository; the first is the clone itself. */
export const packageFolders = (root: string): string[] => ['', ...(read<Manifest>(root, 'package.json').workspaces ?? [])]

/** Other files with a version, and the pattern that finds it. */
const others: Readonly<Record<string, RegExp>> = {
  'packages/contract/src/openapi/openapi.ts': /(?<=^export const interfaceVersion = ')[^']+(?='$)/m,
  'packages/python/pyproject.toml': /(?<=^version = ")[^"]+(?="$)/m,
}

/** Files that state the version, with the version stated. */
export const statedVersions = (root: string): Record<string, string> => {
  const folders = packageFolders(root)
  const lock = read<Lock>(root, 'package-lock.json')
  const manifests = folders.map((folder) => [join(folder, 'package.json'), read<Manifest>(root, join(folder, 'package.json'))] as const)
  const locked = folders.map((folder) => [`package-lock.json ${folder}`, lock.packages[folder]] as const)
  const inside = [...manifests, ...locked].flatMap(([where, manifest]) => [
    [where, manifest?.version ?? 'none'] as const,
    ...ours(manifest).map(([name, version]) => [`${where} ${name}`, version] as const),
  ])
  const notified = Object.entries(others).map(([file, version]) => [
    file,
    version.exec(readFileSync(join(root, file), 'utf8'))?.[0] ?? 'none',
  ])
  return Object.fromEntries([...inside, ['package-lock.json', lock.version], ...notified]) as Record<string, string>
}

const ours = (manifest: Manifest | undefined): [string, string][] =>
  Object.entries(manifest?.dependencies ?? {}).filter(([name]) => name.startsWith('@offhook/'))

/** Image tags in files to copy carry the version. */
const imageTag = /(?<=\boffhook(?:-edge|-around)?:|\bnewTag: |^ARG VERSION=|^(?:version|appVersion): )\d+\.\d+\.\d+/gm
const filesWithTags = (root: string): string[] =>
  globSync(['deploy/**/*.{md,yaml,yml,example}', 'deploy/image/*Containerfile', 'docs/guides/**/*.md'], { cwd: root })

/** Image tags in guides and files to copy, with their location. */
export const statedTags = (root: string): [string, string][] =>
  filesWithTags(root).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(imageTag)].map(([tag]): [string, string] => [file, tag]),
  )

const setTags = (root: string, tag: string): void => {
  for (const file of new Set(statedTags(root).map(([name]) => name)))
    writeFileSync(join(root, file), readFileSync(join(root, file), 'utf8').replaceAll(imageTag, tag))
}

/** One version for all packages, so that compatible packages are obvious. */
export const setVersion = (root: string, version: string): void => {
  const renewed = <T extends Manifest>(manifest: T): T => ({
    ...manifest,
    version,
    ...(manifest.dependencies && {
      dependencies: Object.fromEntries(
        Object.entries(manifest.dependencies).map(([name, of]) => [name, name.startsWith('@offhook/') ? version : of]),
      ),
    }),
  })
  setTags(root, version.replace('-dev', ''))
  const lock = read<Lock>(root, 'package-lock.json')
  for (const folder of packageFolders(root)) {
    const path = join(folder, 'package.json')
    write(root, path, renewed(read<Manifest>(root, path)))
    const locked = lock.packages[folder]
    if (locked) lock.packages[folder] = renewed(locked)
  }
  write(root, 'package-lock.json', { ...lock, version })
  for (const [file, stated] of Object.entries(others))
    writeFileSync(join(root, file), readFileSync(join(root, file), 'utf8').replace(stated, version))
}
