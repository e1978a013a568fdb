import { Select } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { useProblem } from '../parts/use-problem.ts'
import { text } from './text.ts'

const usual = 'usual'
const anonymous = 'anonymous'

/** Which number others see. */
export const CallerId = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const { phone } = useFormat()
  const shown = useRead('getDeviceCallerId', { deviceId }).data?.value
  const numbers = useRead('listNumbers').data?.items ?? []
  const choose = useWrite('setDeviceCallerId', { refreshes: ['getDeviceCallerId'], onDone: () => toast.done(saved) })
  const own = numbers.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE').map(({ number }) => number)
  // Another number may have been chosen by a user who sees more numbers.
  const known = shown === undefined || shown === anonymous || own.includes(shown) ? own : [shown, ...own]
  return (
    <Select
      label={say.callerId}
      description={say.callerIdHint}
      data={[
        ...known.map((number) => ({ value: number, label: phone(number) })),
        { value: anonymous, label: say.anonymous },
        { value: usual, label: say.usual },
      ]}
      value={shown ?? null}
      onChange={(value) => value !== null && choose.mutate([{ deviceId }, { value: value === usual ? '' : value }])}
      allowDeselect={false}
      disabled={shown === undefined || choose.isPending || !may('CAN_CHANGE_DEVICE_CALLERID')}
      error={useProblem(choose.error)}
    />
  )
}
