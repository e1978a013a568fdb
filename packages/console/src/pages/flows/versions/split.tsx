import { Button, Group, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../settings/fields.tsx'
import { text } from './text.ts'
import type { Rollout, Version } from './version.ts'

interface Values {
  stable: string
  candidate: string
  percent: number | ''
  by: 'caller' | 'call'
}

type SplitProps = { flowId: string; versions: readonly Version[]; rollout: Rollout }

/** One version for all calls, or another one for a part of them. */
export const Split = ({ flowId, versions, rollout }: SplitProps) => {
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('changeRollout', { refreshes: ['getRollout'], onDone: () => toast.done(say.splitSaved) })
  const { stable = versions[0]?.version ?? 1, candidate, percent, by = 'caller' } = rollout
  const form = useForm<Values>({ stable: `${stable}`, candidate: `${candidate ?? ''}`, percent: percent ?? 10, by }, change.error)
  const { values } = form
  const choices = versions.map(({ version }) => ({ value: `${version}`, label: say.number(version) }))
  const save = (): void => {
    const trial = values.candidate === '' ? {} : { candidate: Number(values.candidate), percent: values.percent || 0, by: values.by }
    change.mutate([{ aiFlowId: flowId }, { stable: Number(values.stable), ...trial }])
  }
  return (
    <Section title={say.split} description={say.splitHint}>
      <Stack>
        <Fields>
          <NativeSelect label={say.splitStable} data={choices} {...form.text('stable')} />
          <NativeSelect label={say.splitCandidate} data={[{ value: '', label: say.nobody }, ...choices]} {...form.text('candidate')} />
          {values.candidate !== '' && (
            <>
              <NumberInput label={say.percent} min={0} max={100} {...form.value('percent')} />
              <NativeSelect
                label={say.splitBy}
                data={(['caller', 'call'] as const).map((value) => ({ value, label: say.splitBys[value] }))}
                {...form.text('by')}
              />
            </>
          )}
        </Fields>
        <ErrorNotice error={change.error} />
        <Group>
          <Button loading={change.isPending} disabled={!form.changed} onClick={save}>
            {say.saveSplit}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
