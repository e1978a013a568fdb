import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** HTML comment in the line before a block, invisible to readers. */
export interface Mark {
  kind: 'not run' | 'run by'
  /** Reason why it cannot run here, or the test that runs it. */
  text: string
}

/** Code between two lines of backquotes. */
export interface Block {
  /** Path from the repository root. */
  file: string
  line: number
  language: string
  text: string
  mark?: Mark
}

/** Documents with commands, in run order. */
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

/** `file:line` for error messages. */
export const placeOf = ({ file, line }: Block): string => `${file}:${line}`
