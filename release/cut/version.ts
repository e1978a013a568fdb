/** MAJOR.MINOR.PATCH with an optional pre-release suffix: semantic versioning 2.0.0, without build metadata. */
const pattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

export interface Version {
  major: number
  minor: number
  patch: number
  /** Development version between two releases: `-dev`. */
  isBetween: boolean
}

export const readVersion = (text: string): Version => {
  const found = pattern.exec(text)
  if (!found) throw new Error(`${text} is no version: it must be like 0.2.0`)
  const [, major, minor, patch, suffix] = found
  return { major: Number(major), minor: Number(minor), patch: Number(patch), isBetween: suffix !== undefined }
}

/** Allowed next version: one part incremented by one, the following parts zero. */
export const mayFollow = (next: string, last: string): boolean => {
  const { major, minor, patch, isBetween } = readVersion(next)
  const before = readVersion(last)
  if (isBetween) return false
  if (major !== before.major) return major === before.major + 1 && minor === 0 && patch === 0
  if (minor !== before.minor) return minor === before.minor + 1 && patch === 0
  return patch === before.patch + 1
}

/** Development version until the next release. */
export const afterRelease = (version: string): string => {
  const { major, minor } = readVersion(version)
  return `${major}.${minor + 1}.0-dev`
}
