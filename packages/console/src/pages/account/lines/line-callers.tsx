import { Select, Stack, Switch } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

const targets = ['REJECT', 'VOICEMAIL'] as const

/** Who gets through to a line. */
export const LineCallers = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  return (
    <Section title={say.callers}>
      <Stack gap="lg" maw={520}>
        <BlockAnonymous line={line} mayChange={mayChange} />
        <BusyOnBusy line={line} mayChange={mayChange} />
      </Stack>
    </Section>
  )
}

const BlockAnonymous = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getBlockAnonymous', { ...line })
  const set = useWrite('setBlockAnonymous', { refreshes: ['getBlockAnonymous'], onDone: () => toast.done(saved) })
  const off = !data || !mayChange || set.isPending
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const chooseTarget = (chosen: string | null): void => {
    const target = targets.find((one) => one === chosen)
    if (target) set.mutate([{ ...line }, { enabled: true, target }], failed)
  }
  return (
    <>
      <Switch
        label={say.blockAnonymous}
        checked={data?.enabled ?? false}
        disabled={off}
        onChange={(event) => set.mutate([{ ...line }, { enabled: event.currentTarget.checked }], failed)}
      />
      {data?.enabled === true && (
        <Select
          label={say.blockTarget}
          data={targets.map((target) => ({ value: target, label: say.blockTargets[target] }))}
          value={data.target}
          onChange={chooseTarget}
          allowDeselect={false}
          disabled={off}
        />
      )}
    </>
  )
}

const BusyOnBusy = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getBusyOnBusy', { ...line })
  const set = useWrite('setBusyOnBusy', { refreshes: ['getBusyOnBusy'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.busyOnBusy}
      description={say.busyOnBusyHint}
      checked={data?.enabled ?? false}
      disabled={!data || !mayChange || set.isPending}
      onChange={(event) => set.mutate([{ ...line }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })}
    />
  )
}
