import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { parse } from 'yaml'
import { root, type Block } from './blocks.ts'

/** JSON values one after the other, each over several lines if needed; `{…}` and `…` stand for omissions. */
export const jsonMistake = ({ text }: Block): string => {
  let open = ''
  for (const line of text.replaceAll('{…}', '{}').split('\n')) {
    open += line
    try {
      if (open.trim() !== '') JSON.parse(open)
      open = ''
    } catch {
      open += '\n'
    }
  }
  return open.trim()
}

export const xmlMistake = ({ text }: Block): string => {
  try {
    new SaxesParser().write(text).close()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

export const yamlMistake = ({ text }: Block): string => {
  try {
    parse(text)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** Checks the syntax with Node without running it. */
export const scriptMistake = ({ text }: Block): string =>
  spawnSync(process.execPath, ['--check', '--input-type=module', '-'], { input: text, encoding: 'utf8' }).stderr

/** Type-checks whole programs against their imports. */
export const typeMistakes = (folder: string, blocks: readonly Block[]): string => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'src'))
  for (const { file, line, text } of blocks) writeFileSync(join(folder, 'src', `${file.replaceAll(/\W/g, '-')}-${line}.ts`), text)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = { rootDir: '/', typeRoots: [join(root, 'node_modules/@types')], noUnusedLocals: false }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['src'], exclude: [] }),
  )
  return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout
}
