import unittest

from engage_client import Query, all_of, any_of, event_rows, user_rows, where, words_of
from engage_client.gen.engage.analysis.v1 import analysis_proxy_pb2 as proxy
from engage_client.gen.engage.analysis.v1 import event_metric_pb2, filter_pb2, result_pb2


class Queries(unittest.TestCase):
    def test_words(self):
        self.assertEqual(words_of(filter_pb2.Comparator)["notEqual"], filter_pb2.COMPARATOR_NOT_EQUAL)
        self.assertNotIn("", words_of(filter_pb2.Comparator))

    def test_unknown_words(self):
        for field, word, near, build in [
            ("unit", "days", "day", lambda: Query(1).by("days")),
            ("measure", "SUMM", "SUM", lambda: Query(1).metric("pay", "SUMM")),
            ("comparator", "equals", "equal", lambda: where("a", "equals", 1)),
            ("table", "users", "user", lambda: where("a", "equal", 1, table="users")),
        ]:
            with self.subTest(field):
                expected = f'^{field} is "{word}", the nearest is "{near}", valid are (.*, )?"{near}"'
                with self.assertRaisesRegex(ValueError, expected):
                    build()

    def test_request(self):
        request = (
            Query(7)
            .recent("1-7")
            .by("hour")
            .metric("pay", "PERCENTILE", of="amount", percentile=90, filters=[where("vip", "isTrue")])
            .formula("arpu", "pay.amount.SUM/login.TRIG_USER_NUM")
            .group_by("city")
            .group_by("level", table="user", boundaries=[10, 20.5])
            .where("level", "greater", 3, table="user")
            .filter(any_of(where("a", "equal", "x", True), all_of(where("b", "isNull"))))
            .compare("8-14")
            .limit(5)
            .zone(5.5)
            .request()
        )
        query = request.query
        self.assertEqual((query.project_id, query.limit, query.zone_offset), (7, 5, 5.5))
        pay, arpu = query.events
        self.assertEqual((pay.analysis, pay.quota, pay.analysis_params), (18, "amount", "90"))
        self.assertEqual(pay.filts[0].comparator, filter_pb2.COMPARATOR_IS_TRUE)
        self.assertEqual((arpu.type, arpu.custom_event[:3]), (event_metric_pb2.METRIC_TYPE_CUSTOMIZED, "pay"))
        view = query.event_view
        self.assertEqual([one.property_range for one in view.group_by], ["", "10,20.5"])
        self.assertEqual((view.recent_day, view.compared_by_time, view.compared_recent_day), ("1-7", True, "8-14"))
        level, compound = view.filts
        self.assertEqual((list(level.ftv), level.table_type), (["3"], 2))
        self.assertEqual((list(compound.filts[0].ftv), compound.relation), (["x", "true"], filter_pb2.RELATION_OR))
        self.assertEqual(compound.filts[1].filter_type, filter_pb2.FILTER_TYPE_COMPOUND)

    def test_defaults(self):
        query = Query(1).between("2026-11-01", "2026-11-02").metric("login").request().query
        self.assertFalse(query.HasField("limit") or query.HasField("zone_offset"))
        self.assertEqual((query.event_view.time_particle_size, query.events[0].analysis), (5, 1))

    def test_users(self):
        query = Query(1).recent("1-7").metric("login").group_by("city")
        users = query.users(group=["Porto", None], bucket="2026-11-01").query
        self.assertEqual([one.WhichOneof("value") for one in users.slice_group_val], ["label", "null_value"])
        self.assertTrue(users.HasField("event_index"))
        download = query.download_users(["#account_id"], 2).query
        self.assertEqual((list(download.selected_columns), download.event_index), (["#account_id"], 2))
        self.assertEqual(query.download().query.project_id, 1)


class Rows(unittest.TestCase):
    def test_events(self):
        header = proxy.EventTableHeader()
        header.group_columns.add(name="city", display_name="City")
        header.x.add(label="2026-11-01")
        header.x.add(label="2026-11-02")
        header.x_compared.add(label="2026-10-31")
        metric = result_pb2.MetricResult(result_key="login.TOTAL_TIMES")
        entry = metric.entries.add()
        entry.group_cols.add(label="Porto")
        entry.values.numbers.extend([3, float("nan")])
        entry.values_compared.numbers.append(2.5)
        metric.entries.add().group_cols.add(null_value=0)
        pieces = [proxy.DownloadEventsResponse(header=header), proxy.DownloadEventsResponse(rows=metric)]
        self.assertEqual(
            list(event_rows(pieces)),
            [
                ["metric", "city", "2026-11-01", "2026-11-02", "compared.2026-10-31"],
                ["login.TOTAL_TIMES", "Porto", 3, None, 2.5],
                ["login.TOTAL_TIMES", None],
            ],
        )

    def test_users(self):
        header = proxy.UserTableHeader()
        header.columns.add(name="#account_id")
        rows = proxy.UserRows()
        values = rows.rows.add().values
        values.add(string_value="ann")
        values.add(number_value=7)
        values.add(null_value=0)
        values.add(bool_value=True)
        values.add().list_value.values.add(string_value="x")
        pieces = [proxy.DownloadEventUsersResponse(header=header), proxy.DownloadEventUsersResponse(rows=rows)]
        self.assertEqual(list(user_rows(pieces)), [["#account_id"], ["ann", 7, None, True, ["x"]]])


if __name__ == "__main__":
    unittest.main()
