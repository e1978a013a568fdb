import { useState } from 'react'
import { useWrite, type InputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type ImportInput = InputOf<'importContacts'>[1]

const maxBytes = 5 * 1024 * 1024

/** Tries an import whenever something about it changes, and does it when it is told to. */
export const useImport = (onDone: () => void) => {
  const say = useText(text)
  const toast = useToast()
  const [input, setWish] = useState<Partial<ImportInput>>({ duplicates: 'MERGE', shared: false })
  const [tooLarge, setTooLarge] = useState(false)
  const trial = useWrite('importContacts')
  const run = useWrite('importContacts', {
    refreshes: ['listContacts', 'listDuplicateContacts', 'listHistory'],
    onDone: ({ created, merged }) => {
      toast.done(say.imported(created, merged))
      onDone()
    },
  })
  const change = (changes: Partial<ImportInput>): void => {
    const next = { ...input, ...changes }
    setWish(next)
    if (isWhole(next)) trial.mutate([{}, { ...next, dryRun: true }])
  }
  const take = async (file: File | null): Promise<void> => {
    trial.reset()
    setTooLarge(file !== null && file.size > maxBytes)
    if (file && file.size <= maxBytes) change({ format: formatOf(file), base64Content: await contentOf(file) })
    else setWish(({ duplicates = 'MERGE', shared = false }) => ({ duplicates, shared }))
  }
  const submit = (): void => {
    if (isWhole(input)) run.mutate([{}, input])
  }
  return { wish: input, tooLarge, change, take, submit, trial, run, isReady: isWhole(input) && trial.isSuccess }
}

const isWhole = (input: Partial<ImportInput>): input is ImportInput => input.format !== undefined && input.base64Content !== undefined

const formatOf = ({ name, type }: File): ImportInput['format'] => (/\.vcf$/i.test(name) || type === 'text/vcard' ? 'VCARD' : 'CSV')

const contentOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
