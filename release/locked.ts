import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Package entry of the lock file. */
export interface Locked {
  name: string
  version: string
  licence: string
  /** Hash as `sha512-…`; undefined for packages of this repository. */
  integrity: string | undefined
}

interface Entry {
  name?: string
  version: string
  license?: string
  integrity?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const modules = 'node_modules/'

/**
 * All direct and transitive dependencies of a workspace, for all platforms; `npm sbom` of a workspace omits some that other workspaces also need for
 * their tests.
 */
export const neededBy = (root: string, folder: string, without: readonly string[] = []): Locked[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Entry> }
  const found = new Map<string, Locked>()
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(packages, path, name)
      if (place === undefined || without.includes(name) || found.has(place)) continue
      const entry = packages[place] as Entry
      found.set(place, { name, version: entry.version, licence: entry.license ?? 'unknown', integrity: entry.integrity })
      visit(place)
    }
  }
  visit(folder)
  return [...found.values()].toSorted((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1))
}

/** Node's package resolution: the nearest parent folder that has the package. */
const placeOf = (packages: Record<string, Entry>, from: string, name: string): string | undefined => {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf(`/${modules}`)))) {
    const place = `${path === '' ? '' : `${path}/`}${modules}${name}`
    const entry = packages[place]
    if (entry) return entry.link ? entry.resolved : place
    if (path === '') return undefined
  }
}
