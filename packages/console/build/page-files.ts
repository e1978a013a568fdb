import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/**
 * Tells in `pages.json` which files each page consists of, so that the service can name them in its answer: a browser would otherwise learn of them only
 * from the scripts that every page has.
 */
export const pageFiles = (sources: string): Plugin => ({
  name: 'offhook-page-files',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
    const always = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap((entry) => [...filesOf(entry, bundle)]))
    const listed = pagesIn(join(sources, 'pages')).map(({ path, module }) => {
      const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(module))
      if (!chunk) throw new Error(`The page ${path} is in no file: ${module}.`)
      return {
        pattern: `^${path.replaceAll(/:\w+/g, '[^/]+')}$`,
        files: [...filesOf(chunk, bundle)].filter((file) => !always.has(file)),
      }
    })
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(listed) })
  },
})

/** The tables of pages name each address and, after it, the module that is loaded for it. */
const pagesIn = (folder: string): { path: string; module: string }[] =>
  globSync('**/*pages.ts', { cwd: folder }).flatMap((table) => {
    const entries = readFileSync(join(folder, table), 'utf8').matchAll(/\bpath: '(.+?)'[^]*?\bimport\('(.+?)'\)/g)
    return [...entries].map(([, path = '', module = '']) => ({ path, module: join(folder, dirname(table), module) }))
  })

/** The chunk, what it imports, and what these import. */
const filesOf = (chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle, found = new Set<string>()): Set<string> => {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  for (const file of chunk.imports) {
    const imported = bundle[file]
    if (imported?.type === 'chunk') filesOf(imported, bundle, found)
  }
  return found
}
