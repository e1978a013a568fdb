import { Anchor, Button, Text } from '@mantine/core'
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
import { MoneyInput } from '#lazy-parts/money-input.tsx'
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
                [say.perCall, now.perCall === undefined ? say.noLimit : <Money key="call" amount={now.perCall} currency={currency} />],
                [
                  say.warnBelow,
                  now.warnBelow === undefined ? say.noWarning : <Money key="low" amount={now.warnBelow} currency={currency} />,
                ],
                [say.usedToday, <Money key="used" amount={now.spentToday + now.heldToday} currency={currency} />],
                [say.resetsAt, <Time key="resets" at={now.resetsAt} />],
                [say.paidCalls, say.running(now.paidCallsNow, now.paidCalls)],
                [say.openedDestinations, now.openedDestinations.join(', ') || undefined],
              ]}
            />
            <TopUp limits={now} />
            {changing && (
              <ChangeDayLimit
                limits={now}
                currency={currency}
                hint={say.perDayHint(format.money(now.maxPerDay, currency))}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** How money is paid in, as the operator says it. */
const TopUp = ({ limits: { topUpUrl, topUpText } }: { limits: Limits }) => {
  const say = useText(text)
  if (topUpUrl === undefined && topUpText === undefined) return null
  return (
    <Text size="sm" mt="md">
      {topUpText}{' '}
      {topUpUrl !== undefined && (
        <Anchor href={topUpUrl} underline="always" target="_blank" rel="noreferrer">
          {say.topUp}
        </Anchor>
      )}
    </Text>
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
  const [input, setWish] = useState<Input>({ perDay: limits.perDay, perCall: limits.perCall, warnBelow: limits.warnBelow })
  const write = useWrite('changeLimits', { refreshes: ['readLimits'], onDone: onClose })
  return (
    <FormModal
      opened
      title={say.changeDayLimit}
      onClose={onClose}
      onSubmit={() => write.mutate([{}, written(input)])}
      pending={write.isPending}
      error={write.error}
    >
      <MoneyInput
        label={say.perDay}
        description={hint}
        currency={currency}
        value={input.perDay}
        onChange={(perDay) => setWish({ ...input, perDay })}
        error={fieldProblem(write.error, 'perDay')}
      />
      <MoneyInput
        label={say.perCall}
        description={say.perCallHint}
        currency={currency}
        value={input.perCall}
        onChange={(perCall) => setWish({ ...input, perCall })}
        error={fieldProblem(write.error, 'perCall')}
      />
      <MoneyInput
        label={say.warnBelow}
        description={say.warnBelowHint}
        currency={currency}
        value={input.warnBelow}
        onChange={(warnBelow) => setWish({ ...input, warnBelow })}
        error={fieldProblem(write.error, 'warnBelow')}
      />
    </FormModal>
  )
}

type Input = Record<'perDay' | 'perCall' | 'warnBelow', number | undefined>

/** What is left empty is not said. */
const written = ({ perDay, perCall, warnBelow }: Input) => ({
  ...(perDay !== undefined && { perDay }),
  ...(perCall !== undefined && { perCall }),
  ...(warnBelow !== undefined && { warnBelow }),
})
