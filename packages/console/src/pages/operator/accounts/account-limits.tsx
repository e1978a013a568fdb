import { Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Facts } from '#parts/value/facts.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { LimitsForm } from '../parts/limits-form.tsx'
import { text } from '../parts/limits-text.ts'
import { text as sharedText } from '../parts/text.ts'

type Limits = OutputOf<'readAccountLimits'>

/** Daily limit and allowed destinations of the account, with the current usage. */
export const AccountLimits = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const [changing, setChanging] = useState(false)
  const limits = useRead('readAccountLimits', { accountId })
  const balance = useRead('readBalance', { accountId, limit: 1 })
  const write = useWrite('setAccountLimits', {
    refreshes: ['readAccountLimits'],
    onDone: () => {
      toast.done(saved)
      setChanging(false)
    },
  })
  return (
    <Section
      title={say.title}
      description={say.hint}
      actions={
        <Button size="xs" variant="default" onClick={() => setChanging(true)}>
          {say.change}
        </Button>
      }
    >
      <Loaded query={balance}>
        {({ currency }) => (
          <Loaded query={limits}>
            {(now) => (
              <>
                <Use limits={now} currency={currency} />
                {changing && (
                  <LimitsForm
                    limits={now.set}
                    currency={currency}
                    onSave={(input) => write.mutate([{ accountId }, input])}
                    onClose={() => setChanging(false)}
                    pending={write.isPending}
                    error={write.error}
                  />
                )}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}

const Use = ({ limits, currency }: { limits: Limits; currency: string }) => {
  const say = useText(text)
  const format = useFormat()
  const { spentToday, heldToday, mostPerDay: maxPerDay, paidCallsNow, paidCalls, openedDestinations, set } = limits
  const money = (amount: number): string => format.money(amount, currency)
  return (
    <Facts
      facts={[
        [say.usedToday, say.used(money(spentToday + heldToday), money(maxPerDay))],
        [say.ownPerDay, set.ownPerDay === undefined ? undefined : money(set.ownPerDay)],
        [say.paidCalls, say.running(paidCallsNow, paidCalls)],
        [say.opened, openedDestinations.join(', ') || say.nothing],
      ]}
    />
  )
}
