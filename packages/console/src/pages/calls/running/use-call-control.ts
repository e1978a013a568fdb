import { useWrite, type OperationId } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import { useCallNames } from './use-call-names.ts'
import type { RunningCall } from './use-running-calls.ts'

const refreshes: readonly OperationId[] = ['listCalls']

/** What can be done with a running call by pressing a button; what the service refuses is said. */
export const useCallControl = (call: RunningCall) => {
  const say = useText(text)
  const names = useCallNames()
  const confirm = useConfirm()
  const { failed } = useToast()
  const hold = useWrite('holdCall', { refreshes })
  const mute = useWrite('muteCall', { refreshes })
  const record = useWrite('recordCall', { refreshes })
  const end = useWrite('hangUpCall', { refreshes })
  const { callId } = call
  const telling = { onError: failed }
  return {
    hold: (value: boolean) => hold.mutate([{ callId }, { value }], telling),
    mute: (value: boolean) => mute.mutate([{ callId }, { value }], telling),
    stopRecording: () => record.mutate([{ callId }, { value: false }], telling),
    hangUp: async () => {
      const body = say.hangUpBody(names.others(call))
      if (await confirm({ title: say.hangUpTitle, body, confirm: say.hangUp })) end.mutate([{ callId }], telling)
    },
    isPending: hold.isPending || mute.isPending || record.isPending || end.isPending,
  }
}
