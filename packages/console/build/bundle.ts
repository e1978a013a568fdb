import { join, dirname } from 'node:path'
import react from '@vitejs/plugin-react'
import { build, type Rolldown, type Plugin } from 'vite'
import { aheadScript } from './ahead.ts'
import { routesModule } from './routes.ts'
import { globSync, readFileSync } from 'node:fs'

/**
 * Lists the files of each page in `pages.json`, so that the service can preload them: a browser would otherwise learn of them only from the
 * common scripts.
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

/** The page tables name each path and, after it, its lazily loaded module. */
const pagesIn = (folder: string): { path: string; module: string }[] =>
  globSync('**/*pages.ts', { cwd: folder }).flatMap((table) => {
    const entries = readFileSync(join(folder, table), 'utf8').matchAll(/\bpath: '(.+?)'[^]*?\bimport\('(.+?)'\)/g)
    return [...entries].map(([, path = '', module = '']) => ({ path, module: join(folder, dirname(table), module) }))
  })

/** The chunk and its transitive imports. */
const filesOf = (chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle, found = new Set<string>()): Set<string> => {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  for (const file of chunk.imports) {
    const imported = bundle[file]
    if (imported?.type === 'chunk') filesOf(imported, bundle, found)
  }
  return found
}

const sources = join(import.meta.dirname, '../src')

/**
 * The layout of every page is one file, code of most pages another, and so is code shared by several: browsers fetch six files
 * concurrently, each costs a round trip, and twenty small ones take longer than the bytes they save. Large code for few pages is in
 * `lazy-parts`.
 */
const groups: Rolldown.CodeSplittingGroup[] = [
  { name: 'first', tags: ['$initial'], test: /^(?!.*[\\/](worker[\\/]|src[\\/]ahead\.ts))/, priority: 2 },
  { name: 'parts', test: /src[\\/](api|parts|words)[\\/]|components[\\/]SimpleGrid/, minShareCount: 5, priority: 1 },
  { name: 'number-field', test: /NumberInput|react-number-format/, minShareCount: 5 },
  { name: 'fields', test: /node_modules[\\/]@?(mantine|floating-ui)/, minShareCount: 2 },
  { name: 'of-routing', test: /src[\\/]lazy-parts[\\/]routing[\\/]/, minShareCount: 3 },
  { name: 'of-few', test: /src[\\/]lazy-parts[\\/]/, minShareCount: 3 },
  { name: 'of-calls', test: /src[\\/]pages[\\/]calls[\\/]/, minShareCount: 3 },
  { name: 'of-flows', test: /src[\\/]pages[\\/](flows|talk)[\\/]/, minShareCount: 2 },
  { name: 'of-account', test: /src[\\/]pages[\\/](account|me|security)[\\/]/, minShareCount: 3 },
]

/** The notification worker has a fixed address, which browsers remember; all others are named by their content. */
const nameOf = ({ name }: { name: string }): string => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js')

/** The complete configuration of Vite: there is no other file. */
export const bundleInto = (outDir: string): Promise<unknown> =>
  build({
    configFile: false,
    root: sources,
    base: '/console/',
    logLevel: 'warn',
    plugins: [react(), routesModule(), aheadScript(), pageFiles(sources)],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // A data: address would need another source in the content security policy.
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 800,
      rolldownOptions: {
        input: { index: join(sources, 'index.html'), ahead: join(sources, 'ahead.ts'), sw: join(sources, 'worker/sw.ts') },
        checks: { pluginTimings: false },
        output: { entryFileNames: nameOf, codeSplitting: { groups } },
      },
      modulePreload: { polyfill: false },
    },
  })
