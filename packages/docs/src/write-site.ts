import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { renderSite } from './site.ts'

/** Writes the whole site into a folder for a package: compressed texts, images as they are. */
export const writeSite = (folder: string): void => {
  const { files, problems } = renderSite()
  if (problems.length > 0) throw new Error(`The documentation has mistakes:\n${problems.join('\n')}`)
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of files) {
    const file = join(folder, extname(path) === '.png' ? path : `${path}.gz`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

if (import.meta.main) writeSite(process.argv[2] ?? 'docs-site')
