import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, importsOf, read, root } from './import-graph.ts'

/** Every name of a module is in use, as with `import *`. */
const all = '*'

/** Names that files import from each file: `packages/x/src/y.ts` → names. */
const usedNames = (): Map<string, Set<string>> => {
  const used = new Map<string, Set<string>>()
  const use = (file: string, names: readonly string[]): void => {
    const known = used.get(file) ?? new Set()
    used.set(file, known)
    for (const name of names) known.add(name)
  }
  for (const file of filesOf('{packages,test,bench,release,examples,bin}/**/*.{ts,tsx,mts,mjs}')) {
    const statements = [
      ...read(file).matchAll(
        /\b(?:import|export)\s+((?:type\s+)?(?:\w+,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)?)\s+from\s+'[^']+'|\bimport\('[^']+'\)|\bimport\s+'[^']+'/g,
      ),
    ]
    for (const [statement, clause] of statements) {
      const [target] = importsOf(file, statement)
      if (target !== undefined) use(target, clause === undefined || clause.includes(all) ? [all] : namesOf(clause))
    }
  }
  return used
}

/** `type A, b as c` → A, b. */
const namesOf = (clause: string): string[] =>
  (/\{([^}]*)\}/.exec(clause)?.[1] ?? '')
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s.*/s, ''),
    )
    .filter((name) => name !== '')

/** Files that a package names as its entry points; users outside the project import what they export. */
const entryPoints = (): string[] =>
  readdirSync(join(root, 'packages')).flatMap((name) => {
    const file = join(root, 'packages', name, 'package.json')
    if (!existsSync(file)) return []
    const { exports = {}, main } = JSON.parse(readFileSync(file, 'utf8')) as { exports?: Record<string, unknown>; main?: string }
    const targets = [...JSON.stringify(exports).matchAll(/"\.\/([^"]+\.tsx?)"/g)].map(([, target = '']) => target)
    return filesOf(...[...targets, ...(main === undefined ? [] : [main])].map((target) => join('packages', name, target)))
  })

const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

/** Exports that no other file imports, as `file: name`. */
export const unusedExports = (sources: readonly string[]): string[] => {
  const used = usedNames()
  const entries = new Set(entryPoints())
  return sources.flatMap((file) => {
    const names = used.get(file)
    if (entries.has(file) || names?.has(all)) return []
    return [...read(file).matchAll(declared)].flatMap(([, name = '']) => (names?.has(name) ? [] : `${file}: ${name}`))
  })
}
