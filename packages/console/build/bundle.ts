import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import { aheadScript } from './ahead.ts'
import { pageFiles } from './page-files.ts'
import { routesModule } from './routes.ts'

const sources = join(import.meta.dirname, '../src')

/**
 * What is drawn around every page is one file, what most pages use another one, and so is what several have in common: browsers fetch six at a time,
 * each takes the way to the service and back, and twenty small ones take longer than what they would spare. What few pages use, and brings much
 * along, is in `parts-of-few`.
 */
const groups: Rolldown.CodeSplittingGroup[] = [
  { name: 'first', tags: ['$initial'], test: /^(?!.*[\\/](worker[\\/]|src[\\/]ahead\.ts))/, priority: 2 },
  { name: 'parts', test: /src[\\/](api|parts|words)[\\/]|components[\\/]SimpleGrid/, minShareCount: 5, priority: 1 },
  { name: 'number-field', test: /NumberInput|react-number-format/, minShareCount: 5 },
  { name: 'fields', test: /node_modules[\\/]@?(mantine|floating-ui)/, minShareCount: 2 },
  { name: 'of-routing', test: /src[\\/]parts-of-few[\\/]routing[\\/]/, minShareCount: 3 },
  { name: 'of-few', test: /src[\\/]parts-of-few[\\/]/, minShareCount: 3 },
  { name: 'of-calls', test: /src[\\/]pages[\\/]calls[\\/]/, minShareCount: 3 },
  { name: 'of-flows', test: /src[\\/]pages[\\/](flows|talk)[\\/]/, minShareCount: 2 },
  { name: 'of-account', test: /src[\\/]pages[\\/](account|me|security)[\\/]/, minShareCount: 3 },
]

/** The worker for notifications has an address of its own, which browsers remember; all others are named by their content. */
const nameOf = ({ name }: { name: string }): string => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js')

/** Vite, told everything here: there is no other file that configures it. */
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
      // A data: address would be one more source to allow in the content security policy.
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
