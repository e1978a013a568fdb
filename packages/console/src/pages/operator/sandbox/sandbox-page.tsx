import { Button, Group, NumberInput, Select } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const seconds = { minutes: 60, hours: 3_600, days: 86_400 }
type Unit = keyof typeof seconds

/** For trial installations. */
export const SandboxPage = () => {
  const say = useText(text)
  const installation = useRead('readInstallation')
  return (
    <Page title={say.title} description={say.description} width="narrow">
      <Loaded query={installation}>
        {({ sandbox }) =>
          sandbox ? (
            <SandboxTime />
          ) : (
            <Section>
              <EmptyState icon="clock" title={say.off}>
                {say.offHint}
              </EmptyState>
            </Section>
          )
        }
      </Loaded>
    </Page>
  )
}

const SandboxTime = () => {
  const say = useText(text)
  const format = useFormat()
  const time = useRead('getSandboxTime', {}, { every: 10_000 })
  return (
    <>
      <Section>
        <Loaded query={time}>
          {({ now, aheadSeconds }) => (
            <Facts
              facts={[
                [say.now, <Time key="now" at={now} />],
                [say.ahead, aheadSeconds < 1 ? say.nothing : say.days(format.number(aheadSeconds / seconds.days, 1))],
              ]}
            />
          )}
        </Loaded>
      </Section>
      <PutForward />
    </>
  )
}

const PutForward = () => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const forward = useWrite('putSandboxTimeForward', { refreshes: ['getSandboxTime'], onDone: () => toast.done(say.moved) })
  const [count, setCount] = useState<number | string>(2)
  const [unit, setUnit] = useState<Unit>('days')
  const go = async (span: string, length: number): Promise<void> => {
    if (await confirm({ title: say.confirmTitle(span), body: say.body, confirm: say.forward }))
      forward.mutate([{}, { seconds: length }], { onError: toast.failed })
  }
  const presets = [
    { label: say.hour, length: seconds.hours },
    { label: say.day, length: seconds.days },
    { label: say.week, length: 7 * seconds.days },
  ]
  const choices = Object.entries(say.units).map(([value, label]) => ({ value, label }))
  return (
    <Section title={say.forward}>
      <Group mb="md">
        {presets.map(({ label, length }) => (
          <Button key={label} variant="default" disabled={forward.isPending} onClick={() => void go(label, length)}>
            {label}
          </Button>
        ))}
      </Group>
      <Group align="flex-end">
        <NumberInput label={say.other} min={1} max={366} allowDecimal={false} value={count} onChange={setCount} w="10rem" />
        <Select label={say.unit} allowDeselect={false} data={choices} value={unit} onChange={(value) => setUnit(value as Unit)} w="9rem" />
        <Button
          loading={forward.isPending}
          disabled={!(Number(count) >= 1)}
          onClick={() => void go(`${count} ${say.units[unit]}`, Number(count) * seconds[unit])}
        >
          {say.forward}
        </Button>
      </Group>
    </Section>
  )
}
