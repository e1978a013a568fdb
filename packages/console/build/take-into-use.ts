import { chmodSync, existsSync, globSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A running service goes on to serve the old files until the new ones are complete; another build may do the same at this moment. */
export const takeIntoUse = (built: string, place: string): void => {
  const old = `${place}-old-${process.pid}`
  keepAssetsOf(place, built)
  chmodSync(built, 0o755) // folders for work in progress are for one user; the service may run as another one
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      renameSync(place, old)
    } catch {
      // It is the first one.
    }
    try {
      renameSync(built, place)
      return rmSync(old, { recursive: true, force: true })
    } catch (error) {
      rmSync(old, { recursive: true, force: true })
      if (tries === 4) throw error
    }
  }
}

const dayMs = 24 * 60 * 60_000

/**
 * Pages that are open in browsers still fetch what they were built with: the assets of the build before stay, and of those before it what is
 * less than a day older.
 */
const keepAssetsOf = (before: string, built: string): void => {
  const builtAt = statSync(join(before, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  for (const asset of globSync('assets/*', { cwd: before })) {
    const [from, to] = [join(before, asset), join(built, asset)]
    if (existsSync(to) || (statSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtAt - dayMs) continue
    linkOrSkip(from, to)
  }
}

/** Another build may have taken it away at this moment. */
const linkOrSkip = (from: string, to: string): void => {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
