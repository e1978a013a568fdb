import { existsSync } from 'node:fs'
import { NoRecordings } from './recording.ts'

/** Requirement of a set: a file, and the Debian package that provides it. */
export interface Need {
  file: string
  package: string
}

/** A set of recordings that is not installed. */
export class NotInstalled extends NoRecordings {
  readonly packages: string[]

  constructor(packages: string[]) {
    super(`recordings are missing: apt-get install ${packages.join(' ')}`)
    this.name = 'NotInstalled'
    this.packages = packages
  }
}

export const demand = (...needs: readonly Need[]): void => {
  const missing = needs.filter(({ file }) => !existsSync(file)).map((need) => need.package)
  if (missing.length > 0) throw new NotInstalled([...new Set(missing)])
}

/** Decodes Ogg Vorbis; only the bench needs it. */
export const oggDecoder: Need = { file: '/usr/bin/oggdec', package: 'vorbis-tools' }
