import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './blocks.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const helpPages = new Map<string, string>()
const helpOf = (words: readonly string[]): string => {
  const key = words.join(' ')
  const known = helpPages.get(key)
  if (known !== undefined) return known
  const help = execFileSync(process.execPath, [join(root, 'bin/offhook.mjs'), ...words, '--help'], { encoding: 'utf8' })
  helpPages.set(key, help)
  return help
}

const names = (help: string): Set<string> => new Set([...help.matchAll(/^ {2}([a-z][\w-]*)[ |]/gm)].map(([, name]) => name ?? ''))
const options = (help: string): Set<string> => new Set([...help.matchAll(/(?<=[\s,])(--?[a-zA-Z][\w-]*)/g)].map(([, name]) => name ?? ''))

/** Commands, options and scripts in a text that do not exist. */
export const unknownIn = (text: string): string[] => {
  const joined = text.replaceAll('\\\n', ' ').replaceAll(/(?<=\s)#[^\n]*/g, '')
  return [...unknownCommands(joined), ...unknownScripts(joined)]
}

const unknownScripts = (text: string): string[] =>
  [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name ?? '').filter((name) => scripts[name] === undefined)

function* unknownCommands(text: string): Generator<string> {
  for (const [, rest = ''] of text.matchAll(/(?<!\bfrom)(?:^|[\s`(])(?:npx |\/\S*\/)?offhook((?: [^\s`|&;)]+)+)/gm)) {
    const words = rest.trim().split(/\s+/)
    const [name = ''] = words
    if (!/^[a-z]/.test(name)) continue // a separate option, or prose
    if (!names(helpOf([])).has(name)) yield `offhook ${name}`
    else {
      const second = words[1] ?? ''
      const path = name === 'token' && /^[a-z]/.test(second) ? [name, second] : [name]
      const known = new Set([...options(helpOf(path)), ...options(helpOf([]))])
      for (const word of words.slice(1)) {
        const option = word.split('=')[0] ?? ''
        if (option.startsWith('--') && option !== '--' && !known.has(option)) yield `offhook ${name} ${option}`
      }
    }
  }
}
