import { Button, Stack } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useState } from 'react'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Factors, NewTotp } from '#lazy-parts/factors.ts'
import { TotpSetUp } from '#lazy-parts/totp-set-up.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export interface FactorProps {
  factors: Factors
  attempt: (action: () => Promise<void>) => void
  onCodes: (codes: string[]) => void
}

export const AppSection = ({ factors, set, attempt, onCodes, reload }: FactorProps & { set: boolean; reload: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const [begun, setBegun] = useState<NewTotp>()
  const begin = (): void => attempt(async () => setBegun(await factors.beginTotp()))
  const remove = async (): Promise<void> => {
    if (!(await confirm({ title: say.removeTitle, body: say.removeBody, confirm: say.remove }))) return
    attempt(async () => {
      await factors.removeTotp()
      toast.done(say.removed)
      reload()
    })
  }
  const finish = (codes: string[]): void => {
    setBegun(undefined)
    onCodes(codes)
  }
  return (
    <Section title={say.app} description={say.appHint}>
      <Stack align="flex-start">
        <StatusBadge tone={set ? 'good' : 'quiet'}>{set ? say.on : say.off}</StatusBadge>
        {set ? (
          <Button variant="default" onClick={() => void remove()}>
            {say.remove}
          </Button>
        ) : (
          <Button onClick={begin}>{say.setUp}</Button>
        )}
      </Stack>
      <Dialog opened={begun !== undefined} onClose={() => setBegun(undefined)} title={say.app}>
        {begun && <TotpSetUp factors={factors} begun={begun} onDone={finish} />}
      </Dialog>
    </Section>
  )
}
