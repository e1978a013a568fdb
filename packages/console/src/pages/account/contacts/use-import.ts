import { useState } from 'react'
import { useWrite, type InputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type ImportWish = InputOf<'importContacts'>[1]

const mostBytes = 5 * 1024 * 1024

/** Tries an import whenever something about it changes, and does it when it is told to. */
export const useImport = (onDone: () => void) => {
  const say = useText(text)
  const toast = useToast()
  const [wish, setWish] = useState<Partial<ImportWish>>({ duplicates: 'MERGE', shared: false })
  const [tooLarge, setTooLarge] = useState(false)
  const trial = useWrite('importContacts')
  const run = useWrite('importContacts', {
    refreshes: ['listContacts', 'listDuplicateContacts', 'listHistory'],
    onDone: ({ created, merged }) => {
      toast.done(say.imported(created, merged))
      onDone()
    },
  })
  const change = (changes: Partial<ImportWish>): void => {
    const next = { ...wish, ...changes }
    setWish(next)
    if (isWhole(next)) trial.mutate([{}, { ...next, dryRun: true }])
  }
  const take = async (file: File | null): Promise<void> => {
    trial.reset()
    setTooLarge(file !== null && file.size > mostBytes)
    if (file && file.size <= mostBytes) change({ format: formatOf(file), base64Content: await contentOf(file) })
    else setWish(({ duplicates = 'MERGE', shared = false }) => ({ duplicates, shared }))
  }
  const submit = (): void => {
    if (isWhole(wish)) run.mutate([{}, wish])
  }
  return { wish, tooLarge, change, take, submit, trial, run, isReady: isWhole(wish) && trial.isSuccess }
}

const isWhole = (wish: Partial<ImportWish>): wish is ImportWish => wish.format !== undefined && wish.base64Content !== undefined

const formatOf = ({ name, type }: File): ImportWish['format'] => (/\.vcf$/i.test(name) || type === 'text/vcard' ? 'VCARD' : 'CSV')

const contentOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
