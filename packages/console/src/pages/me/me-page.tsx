import { Button, Group } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { AboutSection } from './about-section.tsx'
import { EmailSection } from './email-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { text } from './text.ts'

/** What everybody decides about themselves. */
export const MePage = () => {
  const say = useText(text)
  const may = useMay()
  const me = useMe()
  return (
    <Page title={say.title} description={say.lead} width="narrow">
      {me === undefined ? (
        <WaitingRows />
      ) : (
        <>
          <AboutSection user={me} />
          <EmailSection key={me.email} user={me} />
          <PasswordSection user={me} />
          <SessionsSection />
          <Section title={say.more} description={say.moreHint}>
            <Group gap="xs">
              <Button variant="default" component={Link} href="/security" leftSection={<Icon name="shield" size={16} />}>
                {say.security}
              </Button>
              {may('CAN_MANAGE_TOKENS') && (
                <Button variant="default" component={Link} href="/access" leftSection={<Icon name="key" size={16} />}>
                  {say.access}
                </Button>
              )}
            </Group>
          </Section>
        </>
      )}
    </Page>
  )
}
