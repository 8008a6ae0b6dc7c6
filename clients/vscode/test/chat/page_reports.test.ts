import { expect, test } from 'vitest';
import { PageReports } from '../../webview/state/page_reports';

function loaded() {
  const page = { isFocused: false };
  const reports: unknown[] = [];
  const report = new PageReports(
    () => page.isFocused,
    (message) => reports.push(message.type === 'used' ? message.opening : message),
  );
  return { page, reports, report };
}

test('a page with the focus reports the last opening that the page has been told', () => {
  const { reports, report } = loaded();
  report.takeOpening(3);
  report.focused();
  report.takeOpening(4);
  report.focused();
  expect(reports).toEqual([3, 4]);
});

test('a page that gets the focus before the greeting reports with the greeting', () => {
  const { page, reports, report } = loaded();
  page.isFocused = true;
  report.focused();
  expect(reports).toEqual([]);
  report.takeOpening(3);
  expect(reports).toEqual([3]);
});

test('an opening elsewhere is no reason for a report, while the page still has the focus', () => {
  const { page, reports, report } = loaded();
  report.takeOpening(3);
  page.isFocused = true;
  report.takeOpening(4);
  expect(reports).toEqual([]);
});

test('the session on the page is reported with the last opening that the page has been told', () => {
  const { reports, report } = loaded();
  report.takeOpening(3);
  report.showed('ses_1');
  report.takeOpening(4);
  report.showed(null);
  expect(reports).toEqual([
    { type: 'session', sessionId: 'ses_1', opening: 3 },
    { type: 'session', sessionId: null, opening: 4 },
  ]);
});
