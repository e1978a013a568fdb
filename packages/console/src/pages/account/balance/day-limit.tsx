import { Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Facts } from '#parts/value/facts.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { Money, Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#parts-of-few/money-input.tsx'
import { text } from './text.ts'

type Limits = OutputOf<'readLimits'>

/** What may be spent in a day, so that stolen passwords cost little. */
export const DayLimit = ({ currency }: { currency: string }) => {
  const say = useText(text)
  const format = useFormat()
  const limits = useRead('readLimits')
  const [changing, setChanging] = useState(false)
  return (
    <Section
      title={say.dayLimit}
      description={say.dayLimitHint}
      actions={
        <Button size="xs" variant="default" onClick={() => setChanging(true)}>
          {say.changeDayLimit}
        </Button>
      }
    >
      <Loaded query={limits}>
        {(now) => (
          <>
            <Facts
              facts={[
                [say.perDay, <Money key="limit" amount={now.perDay} currency={currency} />],
                [say.usedToday, <Money key="used" amount={now.spentToday + now.heldToday} currency={currency} />],
                [say.resetsAt, <Time key="resets" at={now.resetsAt} />],
                [say.paidCalls, say.running(now.paidCallsNow, now.paidCalls)],
                [say.openedDestinations, now.openedDestinations.join(', ') || undefined],
              ]}
            />
            {changing && (
              <ChangeDayLimit
                limits={now}
                currency={currency}
                hint={say.perDayHint(format.money(now.mostPerDay, currency))}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

interface ChangeProps {
  limits: Limits
  currency: string
  hint: string
  onClose: () => void
}

const ChangeDayLimit = ({ limits, currency, hint, onClose }: ChangeProps) => {
  const say = useText(text)
  const [perDay, setPerDay] = useState<number | undefined>(limits.perDay)
  const write = useWrite('changeLimits', { refreshes: ['readLimits'], onDone: onClose })
  return (
    <FormModal
      opened
      title={say.changeDayLimit}
      onClose={onClose}
      onSubmit={() => write.mutate([{}, perDay === undefined ? {} : { perDay }])}
      pending={write.isPending}
      error={write.error}
    >
      <MoneyInput
        label={say.perDay}
        description={hint}
        currency={currency}
        value={perDay}
        onChange={setPerDay}
        error={fieldProblem(write.error, 'perDay')}
      />
    </FormModal>
  )
}
