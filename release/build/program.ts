import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { isPublished, root, service } from './packages.ts'

/**
 * Stay apart from the program, as packages that npm installs beside it: what is no JavaScript, what looks for files beside itself, and what is large
 * and seldom needed. Everything else that the service needs is inside of it.
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

/** Threads and child processes name their script so, beside the file that starts them. */
const script = /([\w-]+)\$\{extname\(import\.meta\.filename\)\}/g

/** The program itself, the service in it, and what it starts as threads and processes: each is a file of its own, by its name. */
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
 * Node asks for every export of a module of its own that is imported. One of `node:http` is the browser's WebSocket, for which Node loads all of its
 * HTTP client, which we never use. Taken as an object, only what is used of it is asked for.
 */
const httpWithoutClient: Plugin = {
  name: 'http-without-client',
  resolveId: (id) => (id === nodeHttp ? '\0http.cjs' : undefined),
  load: (id) => (id === '\0http.cjs' ? `module.exports = process.getBuiltinModule('${nodeHttp}')` : undefined),
}

/**
 * The service as few files in one folder: to find, read and compile two thousand files took longer than everything else that a start does. A line
 * before what came from one source names it (`log/stack.ts` reads it). Returns all files that it was made from.
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
