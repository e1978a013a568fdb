import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
/** Import aliases: `#core/…` from the root's `package.json`, `#parts/…` from the console's, each with its folder. */
const aliases = ['', 'packages/console/'].flatMap((folder) => {
  const { imports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { imports: Record<string, string> }
  const begin = (path: string): string => path.replace(/\*$/, '')
  return Object.entries(imports).map(([name, target]) => [begin(name), begin(join(folder, target))] as const)
})

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })

/** Imports of the project's own files, as paths from the root; type imports count too. */
export const importsOf = (file: string, code = read(file)): string[] =>
  specifiersIn(code).flatMap((specifier) => {
    if (specifier.startsWith('.')) return join(dirname(file), specifier)
    const alias = aliases.find(([name]) => specifier.startsWith(name))
    if (alias) return alias[1] + specifier.slice(alias[0].length)
    const [, own, path = 'index.ts'] = /^@offhook\/([\w-]+)(?:\/(.*))?$/.exec(specifier) ?? []
    if (own === undefined) return []
    return own === 'test-support' ? `test/support/${path}` : `packages/${own}/src/${path}`
  })

export const specifiersOf = (file: string): string[] => specifiersIn(read(file))

const specifiersIn = (code: string): string[] =>
  [...code.matchAll(/\b(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g)].map(
    ([, named, dynamic]) => named ?? dynamic ?? '',
  )

export type Graph = ReadonlyMap<string, readonly string[]>

export const importGraph = (files: readonly string[]): Graph => new Map(files.map((file) => [file, importsOf(file)]))

/** First import cycle as a path; undefined if there is none. */
export const findCircle = (graph: Graph): string[] | undefined => {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle) return circle
  }
  return undefined
}

/** Rooms of a folder (its sub-folders, and each of its own files) with their imports, and an example of each import. */
export const roomsOf = (folder: string, graph: Graph): { rooms: Graph; example: (from: string, to: string) => string } => {
  const room = (file: string): string | undefined =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined
  const rooms = new Map<string, string[]>()
  const examples = new Map<string, string>()
  for (const [file, targets] of graph) {
    const from = room(file)
    if (from === undefined) continue
    const known = rooms.get(from) ?? []
    rooms.set(from, known)
    for (const target of targets) {
      const to = room(target)
      if (to === undefined || to === from || known.includes(to)) continue
      known.push(to)
      examples.set(`${from} → ${to}`, `${file} imports ${target}`)
    }
  }
  return { rooms, example: (from, to) => examples.get(`${from} → ${to}`) ?? '' }
}
