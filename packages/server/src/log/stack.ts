import { readFileSync } from 'node:fs'
import { sep } from 'node:path'

/** What an installed program was built from stands in few files; before the code of each source is a line that names it. */
const heading = /^\/\/ ((?:packages|node_modules)\/\S+)$/

/** Where in a file the code of which source begins, first to last. */
type Origins = readonly { line: number; source: string }[]

const origins = new Map<string, Origins>()

const originsOf = (file: string): Origins => {
  const known = origins.get(file)
  if (known) return known
  const lines = readFileSync(file, 'utf8').split('\n')
  const found = lines.flatMap((text, index) => {
    const source = heading.exec(text)?.[1]
    return source === undefined ? [] : [{ line: index + 1, source }]
  })
  origins.set(file, found)
  return found
}

/** A stack in which each line of the built program says from which source it came: `at take (packages/server/src/core/…/gate.ts, /…/lib/main.js:5:7)`. */
export const readableStack = (stack: string, folder = import.meta.dirname): string =>
  stack.replaceAll(/(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):\d+/g, (place, file: string, line: string) => {
    if (!file.startsWith(folder + sep)) return place
    const source = sourceAt(file, Number(line))
    return source === undefined ? place : `${source}, ${place}`
  })

const sourceAt = (file: string, line: number): string | undefined => {
  try {
    return originsOf(file).findLast((origin) => origin.line <= line)?.source
  } catch {
    return undefined // an update took the file away
  }
}
