import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { text } from './text.ts'

type OwnNumber = OutputOf<'listNumbers'>['items'][number]

/** Which numbers lead to the flow, and which could. */
export const FlowNumbers = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_NUMBERS')
  const numbers = useRead('listNumbers')
  const [adding, setAdding] = useState(false)
  const add = may && (
    <AddButton variant="default" onClick={() => setAdding(true)}>
      {say.addNumber}
    </AddButton>
  )
  return (
    <Section title={say.numbers} description={say.numbersHint} actions={add}>
      <Loaded query={numbers}>
        {({ items }) => (
          <>
            <LedHere numbers={items.filter(({ endpointId }) => endpointId === flow.id)} may={may} />
            {adding && <LeadNumber flow={flow} numbers={items} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const LedHere = ({ numbers, may }: { numbers: readonly OwnNumber[]; may: boolean }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const format = useFormat()
  const change = useWrite('changeNumber', { refreshes: ['listNumbers'] })
  const unlead = async ({ id, number }: OwnNumber): Promise<void> => {
    const title = say.unleadTitle(format.phone(number))
    if (!(await confirm({ title, body: say.unleadBody, confirm: say.unlead, danger: true }))) return
    change.mutate([{ numberId: id }, { endpointId: null }], { onError: (error) => toast.failed(error) })
  }
  if (numbers.length === 0) return <Text c="dimmed">{say.noNumbers}</Text>
  return (
    <Stack gap="xs">
      {numbers.map((number) => (
        <Group key={number.id} justify="space-between">
          <PhoneNumber number={number.number} />
          {may && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => void unlead(number)}>
              {say.unlead}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  )
}

interface LeadNumberProps {
  flow: Flow
  numbers: readonly OwnNumber[]
  onClose: () => void
}

const LeadNumber = ({ flow, numbers, onClose }: LeadNumberProps) => {
  const say = useText(text)
  const format = useFormat()
  const free = numbers.filter(({ type, state, endpointId }) => type !== 'QUICKDIAL' && state === 'ACTIVE' && endpointId !== flow.id)
  const [chosen, setChosen] = useState(free[0]?.id ?? '')
  const change = useWrite('changeNumber', { refreshes: ['listNumbers'], onDone: onClose })
  const label = ({ number, endpointAlias }: OwnNumber): string =>
    endpointAlias === '' ? format.phone(number) : `${format.phone(number)} (${say.nowWith(endpointAlias)})`
  return (
    <FormModal
      opened
      title={say.addNumber}
      submit={say.lead}
      onClose={onClose}
      onSubmit={() => (chosen === '' ? onClose() : change.mutate([{ numberId: chosen }, { endpointId: flow.id }]))}
      pending={change.isPending}
      error={change.error}
    >
      {free.length === 0 ? (
        <Text>{say.allLed}</Text>
      ) : (
        <NativeSelect
          label={say.choose}
          data={free.map((number) => ({ value: number.id, label: label(number) }))}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
    </FormModal>
  )
}
