import { globSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { isPublished, root, type Published } from './packages.ts'

/** Builds a library: one JavaScript file per source in the same folders, so that users import only the modules they need. */
export const writeJavaScript = async ({ src, dist, node }: Published): Promise<void> => {
  const files = globSync('**/*.ts', { cwd: src }).filter(isPublished)
  const input = Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), join(src, file)]))
  const bundle = await rolldown({
    input,
    // Node resolves third-party packages and the project's other packages.
    external: (id) => !/^[.#/]/.test(id),
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    transform: { target: `node${node}` },
    preserveEntrySignatures: 'strict',
    checks: { pluginTimings: false },
  })
  await bundle.write({
    dir: join(dist, 'lib'),
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: src,
    entryFileNames: '[name].js',
  })
  await bundle.close()
}
