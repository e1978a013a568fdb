import { Select } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { ExternalDevice } from './device-state.tsx'
import { useProblem } from '../parts/use-problem.ts'
import { text } from './text.ts'

const displays = ['CALLER_NUMBER', 'CALLED_NUMBER'] as const

/** What only phones at other providers have. */
export const ExternalSettings = ({ device: { id: deviceId, number, incomingCallDisplayState } }: { device: ExternalDevice }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = { refreshes: ['getDevice', 'listUserDevices'], onDone: () => toast.done(saved) } as const
  const setNumber = useWrite('setExternalTargetNumber', done)
  const setDisplay = useWrite('setIncomingCallDisplay', done)
  const chooseDisplay = (chosen: string | null): void => {
    const incomingCallDisplay = displays.find((display) => display === chosen)
    if (incomingCallDisplay) setDisplay.mutate([{ deviceId }, { incomingCallDisplay }])
  }
  return (
    <>
      <SavedText
        key={number}
        label={say.targetNumber}
        type="tel"
        maxLength={40}
        value={number}
        onSave={(typed) => setNumber.mutate([{ deviceId }, { number: typed }])}
        pending={setNumber.isPending}
        problem={setNumber.error}
      />
      <Select
        label={say.display}
        data={displays.map((display) => ({ value: display, label: say.displays[display] }))}
        value={incomingCallDisplayState}
        onChange={chooseDisplay}
        allowDeselect={false}
        disabled={setDisplay.isPending}
        error={useProblem(setDisplay.error)}
      />
    </>
  )
}
