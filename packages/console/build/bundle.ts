import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { routesModule } from './routes.ts'

/**
 * What every page uses, with the libraries behind it, is one file: fetching twenty small ones takes longer than what they would spare. What only
 * few pages use, and brings much along, is in `parts-of-few` instead.
 */
const shared = { name: 'shared', test: /src[\\/](api|parts|shell|words)[\\/]/ }

/** Vite, told everything here: there is no other file that configures it. */
export const bundleInto = (outDir: string): Promise<unknown> =>
  build({
    configFile: false,
    root: join(import.meta.dirname, '../src'),
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
      rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: [shared] } } },
      modulePreload: { polyfill: false },
    },
  })
