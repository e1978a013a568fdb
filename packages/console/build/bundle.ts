import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { routesModule } from './routes.ts'

/**
 * What every page uses, with the libraries behind it, is one file: fetching twenty small ones takes longer than what they would spare. What only
 * few pages use, and brings much along, is in `parts-of-few` instead.
 */
const shared = { name: 'shared', test: /src[\\/](api|parts|shell|words)[\\/]/, priority: 1 }

/**
 * The same for what several pages use: fields, and what the pages of an area have in common. Browsers fetch six files at a time, and each of them
 * takes the way to the service and back.
 */
const common = [
  { name: 'fields', test: /node_modules[\\/]@?(mantine|floating-ui|react-number-format)/, minShareCount: 5 },
  { name: 'of-flows', test: /src[\\/]pages[\\/](flows|talk|calls)[\\/]/, minShareCount: 3 },
  { name: 'of-account', test: /src[\\/]pages[\\/](account|me|security)[\\/]/, minShareCount: 3 },
  { name: 'of-few', test: /src[\\/]parts-of-few[\\/]/, minShareCount: 3 },
]

const sources = join(import.meta.dirname, '../src')

/** The worker for notifications has an address of its own, which browsers remember; all others are named by their content. */
const nameOf = ({ name }: { name: string }): string => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js')

/** Vite, told everything here: there is no other file that configures it. */
export const bundleInto = (outDir: string): Promise<unknown> =>
  build({
    configFile: false,
    root: sources,
    base: '/console/',
    logLevel: 'warn',
    plugins: [react(), routesModule()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // A data: address would be one more source to allow in the content security policy.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 800,
      rolldownOptions: {
        input: { index: join(sources, 'index.html'), sw: join(sources, 'worker/sw.ts') },
        checks: { pluginTimings: false },
        output: { entryFileNames: nameOf, codeSplitting: { groups: [shared, ...common] } },
      },
      modulePreload: { polyfill: false },
    },
  })
