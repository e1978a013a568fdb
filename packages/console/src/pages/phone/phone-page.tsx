import { Alert, Box, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { phoneLine } from '#api/phone/phone-line.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Page } from '#parts/page/page.tsx'
import { isSoundPossible } from '#phone/sound/microphone.ts'
import { useText } from '#words/use-text.tsx'
import { BrowserSection } from './browser-section.tsx'
import { DialSection } from './dial-section.tsx'
import { EchoSection } from './echo-section.tsx'
import classes from './phone-page.module.css'
import { RecentCalls } from './recent-calls.tsx'
import { SoundSection } from './sound-section.tsx'
import { text } from './text.ts'

/** The telephone: dialling, and how it sounds and rings. `?dial=` fills in a number, `?answer=` takes the call of a notification. */
export const PhonePage = () => {
  const say = useText(text)
  const [search] = useSearchParams()
  useAnswer()
  const dial = search.get('dial') ?? ''
  return (
    <Page title={say.title} description={say.lead}>
      {!isSoundPossible() && (
        <Alert color="yellow" icon={<Icon name="microphoneOff" />} title={say.insecureTitle}>
          {say.insecure}
        </Alert>
      )}
      <Box className={classes.desk}>
        <Stack gap="lg">
          <DialSection key={dial} first={dial} />
          <RecentCalls />
        </Stack>
        <Stack gap="lg">
          <BrowserSection />
          <SoundSection />
          <EchoSection />
        </Stack>
      </Box>
    </Page>
  )
}

/** Once: the address forgets it, or loading the page again would take the next call. */
const useAnswer = (): void => {
  const [search, setSearch] = useSearchParams()
  const answer = search.get('answer')
  useEffect(() => {
    if (answer === null) return
    setSearch({}, { replace: true })
    phoneLine.wish((phone) => phone.accept(answer))
  }, [answer, setSearch])
}
