import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** What stands in the line before a block, as an HTML comment that readers do not see. */
export interface Mark {
  kind: 'not run' | 'run by'
  /** Why it cannot be run here, or the test that runs it. */
  text: string
}

/** Code between two lines of backquotes. */
export interface Block {
  /** From the root of the repository. */
  file: string
  line: number
  language: string
  text: string
  mark?: Mark
}

/** Everything with commands that people type: in the order in which they are run. */
export const documents = (): string[] => {
  const guides = [...readFileSync(join(root, 'docs/guides/README.md'), 'utf8').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
    ([, name]) => `docs/guides/${name}`,
  )
  const others = globSync(['examples/*/README.md', 'deploy/**/README.md', 'release/README.md'], {
    cwd: root,
  }).toSorted()
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...guides, ...others]
}

const fence = /^(?:<!-- (not run|run by): ([^\n]+) -->\n+)?^( *)```(\S*)[^\n]*\n(.*?)^\3```$/gms

export const blocksOf = (file: string): Block[] => {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(fence)].map((match) => {
    const [all, kind, reason = '', indent = '', language = '', content = ''] = match
    const before = text.slice(0, match.index + all.indexOf('```'))
    return {
      file,
      line: before.split('\n').length,
      language,
      text: content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...(kind !== undefined && { mark: { kind: kind as Mark['kind'], text: reason } }),
    }
  })
}

/** `file:line`, for whoever has to repair it. */
export const placeOf = ({ file, line }: Block): string => `${file}:${line}`
