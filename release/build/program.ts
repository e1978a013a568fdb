import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { isPublished, root, service } from './packages.ts'

/**
 * Kept out of the bundle and installed by npm as packages: non-JavaScript files, packages that look for files next to themselves, and large,
 * rarely used ones. Everything else that the service needs is in the bundle.
 */
export const apart: readonly string[] = [
  '@nats-io/transport-node',
  '@node-rs/argon2',
  '@scalar/fastify-api-reference',
  '@simplewebauthn/server',
  'koffi',
  'node-datachannel',
  'nodemailer',
  'oidc-provider',
  'onnxruntime-node',
  'pdfjs-dist',
  'pg',
]

const isApart = (id: string): boolean => apart.some((name) => id === name || id.startsWith(`${name}/`))

/** Threads and child processes reference their script by this pattern, next to the file that starts them. */
const script = /([\w-]+)\$\{extname\(import\.meta\.filename\)\}/g

/** Entry points: the program, the service in it, and its thread and process scripts; each becomes a file by its name. */
export const entries = (): Record<string, string> => {
  const found = globSync('**/*.ts', { cwd: service.src })
    .filter(isPublished)
    .flatMap((file) =>
      [...readFileSync(join(service.src, file), 'utf8').matchAll(script)].map(([, name = '']) => join(dirname(file), `${name}.ts`)),
    )
  return Object.fromEntries(['cli.ts', 'wiring/main.ts', ...found].map((file) => [basename(file, '.ts'), join(service.src, file)]))
}

const nodeHttp = 'node:http'

/**
 * Node evaluates every export of an imported built-in module. One export of `node:http` is the browser WebSocket, for which Node loads its whole
 * HTTP client, which the service never uses. Importing the module as an object evaluates only the exports in use.
 */
const httpWithoutClient: Plugin = {
  name: 'http-without-client',
  resolveId: (id) => (id === nodeHttp ? '\0http.cjs' : undefined),
  load: (id) => (id === '\0http.cjs' ? `module.exports = process.getBuiltinModule('${nodeHttp}')` : undefined),
}

/**
 * Bundles the service into few files in one folder: finding, reading and compiling two thousand files took longer than the rest of a start. A line
 * before the code of each source names it (`log/stack.ts` reads it). Returns all source files.
 */
export const writeProgram = async (folder: string): Promise<string[]> => {
  const bundle = await rolldown({
    cwd: root,
    input: entries(),
    external: isApart,
    plugins: [httpWithoutClient],
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    transform: { target: 'node24' },
    checks: { pluginTimings: false },
  })
  const { output } = await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  return output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : [])).filter((id) => id.startsWith(root))
}
