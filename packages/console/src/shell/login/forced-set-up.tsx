import { Alert, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { clientWith } from '#api/log-in.ts'
import type { Role } from '#api/session.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { factorsOf } from '#lazy-parts/totp-set-up.tsx'
import { TotpSetUp } from '#lazy-parts/totp-set-up.tsx'
import { RecoveryCodes } from '#lazy-parts/recovery-codes.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** Between login and console, for a user without the required second factor. */
export const ForcedSetUp = ({ role, token, onDone }: { role: Role; token: string; onDone: () => void }) => {
  const say = useText(text)
  const factors = useMemo(() => factorsOf(role, clientWith(token)), [role, token])
  const [codes, setCodes] = useState<string[]>()
  const begun = useQuery({ queryKey: ['beginTotp', token], queryFn: factors.beginTotp, staleTime: Infinity, gcTime: 0 })
  if (codes) return <RecoveryCodes codes={codes} onKept={onDone} />
  return (
    <Stack>
      <Alert>{say.factorDemanded}</Alert>
      <Loaded query={begun}>{(totp) => <TotpSetUp factors={factors} begun={totp} onDone={setCodes} />}</Loaded>
    </Stack>
  )
}
