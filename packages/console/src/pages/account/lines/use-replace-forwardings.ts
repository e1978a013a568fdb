import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { LineId } from './line-id.ts'

export type Forwarding = OutputOf<'listForwardings'>['items'][number]

export const useReplaceForwardings = (line: LineId, onDone?: () => void) => {
  const { saved } = useText(accountText)
  const toast = useToast()
  const replace = useWrite('replaceForwardings', {
    refreshes: ['listForwardings'],
    onDone: () => {
      toast.done(saved)
      onDone?.()
    },
  })
  const send = (forwardings: Forwarding[]): void => replace.mutate([{ ...line }, { forwardings }])
  const sendOrTell = (forwardings: Forwarding[]): void =>
    replace.mutate([{ ...line }, { forwardings }], { onError: (error) => toast.failed(error) })
  return { send, sendOrTell, pending: replace.isPending, error: replace.error }
}

export const forwardingOrNew = (forwarding: Forwarding | undefined): Forwarding =>
  forwarding ?? { destination: '', timeout: 20, active: true }
