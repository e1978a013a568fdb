import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { inClone, templateFolder } from '#places.ts'
import { inFolderOfClone } from './init/clone.ts'
import { inFolderOfProject } from './init/project.ts'
import type { Surroundings } from './init/surroundings.ts'
import { Mistake } from './terminal/mistake.ts'

export interface InitOptions {
  /** JavaScript, whatever the Node here is. */
  js?: boolean
}

/** The commands in the template, which run it inside the repository. */
const [runsThere, talksThere] = ['npx node examples/first-assistant/assistant.ts', 'npx offhook']
/** All that is not JavaScript in it. */
const typed = ['new Map<string, string>()', 'new Map()'] as const

/** Writes a first assistant into a folder, and says how to run it. */
export const init = async (folder = '.', { js = false }: InitOptions = {}): Promise<void> => {
  const target = resolve(folder)
  const { file, said } = await write(target, js).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Mistake(
        1,
        `${shown(error.path ?? target)} is there already, and stays as it is. Name another folder: offhook init my-assistant`,
      )
    throw new Mistake(1, `Nothing can be written there: ${error.message}`)
  })
  const { added, prepare, node, offhook } = said
  console.log(`${shown(file)} is a first assistant${added}. Run it:

${[...prepare, `${node} ${shown(file)}`].map((line) => `  ${line}`).join('\n')}

and then, in another terminal:

  ${offhook} dev --endpoint http://127.0.0.1:3000`)
}

const write = async (folder: string, js: boolean): Promise<{ file: string; said: Surroundings }> => {
  await mkdir(folder, { recursive: true })
  const said = await (inClone ? inFolderOfClone(folder) : inFolderOfProject(folder))
  const asJs = js || said.needsJs
  const file = join(folder, `assistant.${said.isModule ? '' : 'm'}${asJs ? 'js' : 'ts'}`)
  const text = await readFile(join(templateFolder, 'assistant.ts'), 'utf8')
  const here = text.replace(runsThere, `${said.node} ${shown(file)}`).replace(talksThere, said.offhook)
  await writeFile(file, asJs ? here.replace(...typed) : here, { flag: 'wx' })
  await said.equip()
  return { file, said }
}

const shown = (file: string): string => relative('.', file)
