import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { wordFor } from '../parts/word-for.ts'
import { text } from './text.ts'
import { type Porting, type Step, refreshes, StepForm, AskDate } from './step-forms.tsx'

/** What the operator may enter. What needs nothing more is asked for in a dialog, the rest is filled in. */
export const NextSteps = ({ porting }: { porting: Porting }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [open, setOpen] = useState<Step | 'date'>()
  const portingId = String(porting.id)
  const apply = useWrite('applyPortingEvent', { refreshes, onDone: () => toast.done(say.applied) })
  const choose = async (step: Step): Promise<void> => {
    if (step.needs.length > 0) return setOpen(step)
    const { event } = step
    if (await confirm({ title: say.applyTitle(wordFor(say.events, event)), body: say.applyBody, confirm: say.apply, danger: false }))
      apply.mutate([{ portingId }, { event }], { onError: toast.failed })
    return undefined
  }
  const mayAskDate = porting.direction === 'IN' && porting.status === 400 && porting.carrier !== undefined && !porting.cancelRequested
  return (
    <Section title={say.next} description={say.nextHint}>
      {porting.possible.length === 0 && (
        <Text size="sm" c="dimmed">
          {say.nothingNext}
        </Text>
      )}
      <Group gap="xs">
        {porting.possible.map((step) => (
          <Button
            key={step.event}
            variant="default"
            h="auto"
            py={8}
            styles={{ label: { whiteSpace: 'normal' } }}
            loading={apply.isPending}
            onClick={() => void choose(step)}
          >
            {wordFor(say.events, step.event)}
          </Button>
        ))}
        {mayAskDate && (
          <Button variant="light" size="sm" onClick={() => setOpen('date')}>
            {say.askDate}
          </Button>
        )}
      </Group>
      {open === 'date' && <AskDate portingId={portingId} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'date' && <StepForm portingId={portingId} step={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}
