import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '#places.ts'

/** As the lock file says it; `dev` is needed to work on Offhook only. */
interface Locked {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
}

export interface Licensed {
  name: string
  version: string
  licence: string
}

const folder = 'node_modules/'

/** Every package of others that an installation has, for whatever machine, or that is built into the console. */
export const licensedPackages = (): Licensed[] => {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const found = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes(folder) && !dev && !link)
    .map(([path, { version = '', license = 'unknown' }]) => ({
      name: path.slice(path.lastIndexOf(folder) + folder.length),
      version,
      licence: license,
    }))
  const distinct = new Map(found.map((one) => [`${one.name} ${one.version}`, one]))
  return [...distinct.values()].toSorted((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1))
}
