import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { DestinationField, useDestination } from './destination.tsx'
import { text } from './forwarding-text.ts'
import type { LineId } from './line-id.ts'
import { type Forwarding, useReplaceForwardings, forwardingOrNew } from './use-replace-forwardings.ts'

export const ForwardingForm = ({
  line,
  list,
  place,
  onClose,
}: {
  line: LineId
  list: Forwarding[]
  place: number
  onClose: () => void
}) => {
  const say = useText(text)
  const before = forwardingOrNew(list[place])
  const { send, pending, error } = useReplaceForwardings(line, onClose)
  const destination = useDestination(before.destination)
  const [timeout, setSeconds] = useState<number | string>(before.timeout)
  const submit = (): void => {
    const input = { destination: destination.value, timeout: Number(timeout), active: before.active }
    send(place === list.length ? [...list, input] : list.with(place, input))
  }
  return (
    <FormModal
      opened
      title={place === list.length ? say.addTitle : say.editTitle}
      onClose={onClose}
      onSubmit={submit}
      pending={pending}
      error={error}
    >
      <DestinationField of={destination} error={fieldProblem(error, `forwardings/${place}/destination`)} />
      <NumberInput
        label={say.timeout}
        description={say.timeoutHint}
        min={0}
        max={120}
        allowDecimal={false}
        value={timeout}
        onChange={setSeconds}
        error={fieldProblem(error, `forwardings/${place}/timeout`)}
      />
    </FormModal>
  )
}
