import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { routesModule } from './routes.ts'

/**
 * What every page uses, with the libraries behind it, is one file: fetching twenty small ones takes longer than what they would spare. What only
 * few pages use, and brings much along, is in `parts-of-few` instead.
 */
const shared = { name: 'shared', test: /src[\\/](api|parts|shell|words)[\\/]/ }

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
        output: { entryFileNames: nameOf, codeSplitting: { groups: [shared] } },
      },
      modulePreload: { polyfill: false },
    },
  })
