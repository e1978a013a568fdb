import { Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { Facts } from '#parts/value/facts.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { LimitsForm } from '../parts/limits-form.tsx'
import { text } from '../parts/limits-text.ts'
import { text as sharedText } from '../parts/text.ts'

/** Default spending limits of accounts. */
export const LimitsForAll = () => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const format = useFormat()
  const toast = useToast()
  const [changing, setChanging] = useState(false)
  const installation = useRead('readInstallation')
  const limits = useRead('readInstallationLimits')
  const write = useWrite('setInstallationLimits', {
    refreshes: ['readInstallationLimits'],
    onDone: () => {
      toast.done(saved)
      setChanging(false)
    },
  })
  const { currency = '' } = installation.data ?? {}
  return (
    <Section
      title={say.titleForAll}
      description={say.hintForAll}
      actions={
        <Button size="xs" variant="default" disabled={currency === ''} onClick={() => setChanging(true)}>
          {say.change}
        </Button>
      }
    >
      <Loaded query={limits}>
        {(now) => (
          <>
            <Facts
              facts={[
                [say.perDay, currency === '' ? undefined : format.money(now.perDay, currency)],
                [say.paidCalls, String(now.paidCalls)],
                [say.opened, now.opened.join(', ') || say.nothing],
              ]}
            />
            {changing && (
              <LimitsForm
                limits={now}
                currency={currency}
                forAll
                onSave={(input) => write.mutate([{}, input])}
                onClose={() => setChanging(false)}
                pending={write.isPending}
                error={write.error}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
